/// \file
/// Answers of version 0: made of the answers of version 1, and read.
#pragma once

#include <cstdint>
#include <optional>

#include <muster/bytes.hpp>
#include <muster/result.hpp>

#include "wire/frame.hpp"
#include "wire/v0.hpp"
#include "wire/v0_body.hpp"

namespace muster::wire::v0 {

/// Value. What became of an answer.
struct Answer {
  Status status = Status::success;
  bool with_tail = false;  ///< the tail's bytes follow what was appended
};

/// Makes a version 1 answer to a request of `type` one of version 0. Its body is `head` and then
/// `tail`; `code` is 0, or the Code of a Failure in the body. Appends to `out`, which holds neither
/// of the two, what is to be sent instead of `head`.
Answer translate(Type type, std::int16_t code, Bytes head, Bytes tail, Value& out);

/// The one value of a packed answer to `operation`.
std::optional<Bytes> unpack_value(Bytes body, Operation operation);

/// The number that answers an ADD or an APPEND.
std::optional<std::int64_t> unpack_number(Bytes body);

/// A bad answer as its caller sees it: code, number and text of the server.
Error to_error(std::int16_t result, Bytes text);

}  // namespace muster::wire::v0
