#include "wire/v0_requests.hpp"

#include <fmt/format.h>
#include <limits>
#include <optional>

#include "base/integer.hpp"
#include "base/text.hpp"
#include "wire/v0_body.hpp"

namespace muster::wire::v0 {
namespace {

/// The reference's server never answers a longer wait.
constexpr std::uint32_t wait_ms_max = std::numeric_limits<std::int32_t>::max();

Error invalid(std::string text) {
  return Error{.code = Code::protocol, .what = std::move(text)};
}

const char* name_of(Operation operation) {
  switch (operation) {
    case Operation::set:
      return "SET";
    case Operation::get:
      return "GET";
    case Operation::add:
      return "ADD";
    case Operation::remove:
      return "REMOVE";
    case Operation::append:
      return "APPEND";
    case Operation::compare_set:
      return "CAS";
  }
  return nullptr;  // another number
}

std::size_t values_of(Operation operation) {
  if (operation == Operation::get || operation == Operation::remove) return 0;
  return operation == Operation::compare_set ? 2 : 1;
}

/// What is wrong with the numbers of keys and values; empty if nothing is.
std::string wrong_counts(const Body& body) {
  const std::size_t values = values_of(body.operation);
  if (body.keys.size() == 1 && body.values.size() == values) return {};
  if (body.operation == Operation::set) return "invalid request: key value should be one";
  return fmt::format("invalid request: {} takes one key and {} values, not {} and {}",
                     name_of(body.operation), values, body.keys.size(), body.values.size());
}

/// An integer as its shortest text: no plus, no leading zero, no space.
std::optional<std::int64_t> read_integer(std::string_view text) {
  const auto number = parse_integer(text);
  if (!number || fmt::format("{}", *number) != text) return std::nullopt;
  return number;
}

std::uint32_t to_wait_ms(std::int64_t user_word) {
  constexpr std::uint32_t most = std::numeric_limits<std::uint32_t>::max();
  return user_word < 0 || user_word > most ? most : static_cast<std::uint32_t>(user_word);
}

struct ToBody {
  std::string& number;  ///< the text of an ADD's delta lives here

  Body operator()(const SetRequest& set) const {
    return {no_user_word, Operation::set, {set.key}, {set.value}};
  }
  Body operator()(const GetRequest& get) const {
    const std::int64_t wait = get.wait_ms > wait_ms_max ? -1 : std::int64_t{get.wait_ms};
    return {wait, Operation::get, {get.key}, {}};
  }
  Body operator()(const AddRequest& add) const {
    number = fmt::format("{}", add.delta);
    return {no_user_word, Operation::add, {add.key}, {as_bytes(number)}};
  }
  Body operator()(const RemoveRequest& remove) const {
    return {no_user_word, Operation::remove, {remove.key}, {}};
  }
  Body operator()(const AppendRequest& append) const {
    return {no_user_word, Operation::append, {append.key}, {append.value}};
  }
  Body operator()(const CompareSetRequest& swap) const {
    return {no_user_word,
            Operation::compare_set,
            {swap.key},
            {swap.expected.value_or(Bytes{}), swap.desired}};
  }
};

}  // namespace

Type type_of(const Request& request) {
  constexpr Type types[] = {Type::set,    Type::get,    Type::add,
                            Type::remove, Type::append, Type::compare_set};
  static_assert(std::size(types) == std::variant_size_v<Request>);
  return types[request.index()];
}

Result<Request> unpack_request(Bytes bytes) {
  const auto body = unpack(bytes);
  if (!body) return invalid("invalid request");
  if (name_of(body->operation) == nullptr) return invalid("invalid request message type");
  if (std::string wrong = wrong_counts(*body); !wrong.empty()) return invalid(std::move(wrong));
  const std::string_view key = body->keys[0];
  switch (body->operation) {
    case Operation::set:
      return Request{SetRequest{key, body->values[0]}};
    case Operation::get:
      return Request{GetRequest{key, to_wait_ms(body->user_word)}};
    case Operation::remove:
      return Request{RemoveRequest{key}};
    case Operation::append:
      return Request{AppendRequest{key, body->values[0]}};
    case Operation::compare_set: {
      const Bytes expected = body->values[0];
      return Request{CompareSetRequest{
          key, expected.empty() ? std::nullopt : std::optional(expected), body->values[1]}};
    }
    case Operation::add:
      break;
  }
  const std::string_view text = as_text(body->values[0]);
  const auto delta = read_integer(text);
  if (delta) return Request{AddRequest{key, *delta}};
  return invalid(
      fmt::format("invalid request: ADD takes a decimal integer of 64 bits, not {}", quoted(text)));
}

void pack(const Request& request, Value& out) {
  std::string number;
  pack(std::visit(ToBody{number}, request), out);
}

std::size_t packed_bytes(const Request& request) {
  std::string number;
  return packed_bytes(std::visit(ToBody{number}, request));
}

std::size_t value_bytes(const Request& request) {
  std::string number;
  std::size_t bytes = 0;
  for (const Bytes value : std::visit(ToBody{number}, request).values) bytes += value.size();
  return bytes;
}

}  // namespace muster::wire::v0
