/// \file
/// Store requests of version 0, as the messages of version 1 that ask for the same.
#pragma once

#include <cstdint>
#include <string>
#include <variant>

#include <muster/bytes.hpp>
#include <muster/result.hpp>

#include "wire/frame.hpp"
#include "wire/store_messages.hpp"

namespace muster::wire::v0 {

/// Value. Keys and values are borrowed. What version 0 can't say: a GET waits for ever from 2^31
/// milliseconds on; a CAS that expects nothing and one that expects an empty value are the same,
/// and read as the first.
using Request = std::variant<SetRequest, GetRequest, AddRequest, RemoveRequest, AppendRequest,
                             CompareSetRequest>;

Type type_of(const Request& request);

/// Of a frame's body. The error is `protocol` and its text what the peer is to be told.
Result<Request> unpack_request(Bytes body);

/// Appends the body that asks for it.
void pack(const Request& request, Value& out);
/// How long that body is, and the values in it.
std::size_t packed_bytes(const Request& request);
std::size_t value_bytes(const Request& request);

}  // namespace muster::wire::v0
