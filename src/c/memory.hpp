/// \file
/// Bytes that go out to a C program.
#pragma once

#include <muster/bytes.hpp>
#include <muster/muster.h>
#include <muster/parts.hpp>

namespace muster::c {

/// A copy for muster_free(), with a 0 behind it that does not count; its data is never null.
muster_buffer to_buffer(Bytes bytes);

/// A new handle.
muster_parts* to_parts(Parts parts);

/// Borrowed; data is never null.
muster_bytes to_bytes(Bytes bytes);

}  // namespace muster::c
