#include "wire/v0_answers.hpp"

#include <fmt/format.h>
#include <string_view>

#include "base/assert.hpp"
#include "base/integer.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"
#include "wire/cursor.hpp"
#include "wire/notices.hpp"

namespace muster::wire::v0 {
namespace {

Answer say(Status status, std::string_view text, Value& out) {
  Writer(out).bytes(as_bytes(text));
  return {status, false};
}

/// Whether the request is at fault, rather than what became of the job.
bool is_invalid(Code code) {
  switch (code) {
    case Code::invalid_argument:
    case Code::limit:
    case Code::protocol:
    case Code::unsupported:
      return true;
    default:
      return false;
  }
}

Answer refuse(Bytes body, Value& out) {
  const auto failure = decode_failure(body);
  MUSTER_ASSERT(failure);  // our own server made it
  if (failure->code == Code::not_found) return say(Status::not_exist, "<not exist>", out);
  if (failure->code == Code::timeout) return say(Status::timeout, "<timeout>", out);
  const Status status = is_invalid(failure->code) ? Status::invalid_message : Status::error;
  return say(status, failure->reason.empty() ? name(failure->code) : failure->reason, out);
}

/// A value that begins with `head` and goes on in `tail`.
Answer carry(Operation operation, Bytes head, Bytes tail, Value& out) {
  const std::size_t bytes = head.size() + tail.size();
  if (bytes > limits::v0_value_bytes_max) {
    return say(Status::invalid_message,
               fmt::format("the value has {} bytes, an answer of version 0 carries at most {}",
                           bytes, limits::v0_value_bytes_max),
               out);
  }
  pack_value_head(operation, bytes, out);
  Writer(out).bytes(head);
  return {Status::success, true};
}

}  // namespace

Answer translate(Type type, std::int16_t code, Bytes head, Bytes tail, Value& out) {
  if (code != 0) {
    // One of the two is empty: a failure is written at once, or shared by all whom it concerns.
    return refuse(head.empty() ? tail : head, out);
  }
  Reader reader(head);
  switch (type) {
    case Type::get:
      return carry(Operation::get, head, tail, out);
    case Type::compare_set:
      reader.boolean();  // swapped: the client sees it by the value before
      reader.boolean();  // was there: version 0 takes an absent key for an empty value
      return carry(Operation::compare_set, reader.rest(), tail, out);
    case Type::add:
      return say(Status::success, fmt::format("{}", reader.i64()), out);
    case Type::append:
      return say(Status::success, fmt::format("{}", reader.u64()), out);
    case Type::remove:
      return reader.boolean() ? say(Status::success, "success", out)
                              : say(Status::not_exist, "not exist", out);
    default:
      return say(Status::success, "success", out);
  }
}

std::optional<Bytes> unpack_value(Bytes bytes, Operation operation) {
  const auto body = unpack(bytes);
  const bool good = body && body->operation == operation && body->values.size() == 1;
  if (!good) return std::nullopt;
  return body->values[0];
}

std::optional<std::int64_t> unpack_number(Bytes body) {
  return parse_integer(as_text(body));
}

Error to_error(std::int16_t result, Bytes text) {
  const auto code_of = [](std::int16_t number) {
    switch (static_cast<Status>(number)) {
      case Status::not_exist:
        return Code::not_found;
      case Status::timeout:
        return Code::timeout;
      case Status::invalid_message:
      case Status::invalid_key:
        return Code::invalid_argument;
      case Status::error:
        return Code::invalid_state;
      case Status::io_error:
        return Code::server_lost;
      default:
        return Code::protocol;
    }
  };
  return Error{.code = code_of(result),
               .phase = Phase::operation,
               .what = fmt::format("the server answers {} {}", result, quoted(as_text(text)))};
}

}  // namespace muster::wire::v0
