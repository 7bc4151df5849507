/// \file
/// Version 0 at the server's edge: its frames become requests of version 1, and go on as those.
#pragma once

#include <cstdint>

#include <muster/bytes.hpp>
#include <muster/result.hpp>

#include "server/core/table.hpp"
#include "wire/frame.hpp"

namespace muster::server {

/// Value. A request, as version 1 would have brought it.
struct Version0Request {
  wire::Type type{};
  Value body;
};

/// Reads a frame. A CAS that expects an empty value means an absent key as well: `table` says which
/// of the two it is just now. The error is `protocol`, and what the peer is to be told.
Result<Version0Request> read_version0(const wire::FrameHeader& header, Bytes body,
                                      const Table& table);

/// What a peer is told about a body over limits::v0_frame_body_bytes_max, which was skipped.
Error version0_oversized(const wire::FrameHeader& header);

}  // namespace muster::server
