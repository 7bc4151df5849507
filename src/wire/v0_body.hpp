/// \file
/// The packed body of version 0: every request, and the answers that carry a value.
///
///     u64 size of all of this, i64 user word, i16 operation,
///     u64 keys, per key: u64 length, bytes,  u64 values, per value: u64 length, bytes
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include <muster/bytes.hpp>

namespace muster::wire::v0 {

enum class Operation : std::int16_t {
  set = 0,
  get = 1,
  add = 2,
  remove = 3,
  append = 4,
  compare_set = 5,
};

/// What stands where a request has no use for the word.
inline constexpr std::int64_t no_user_word = -1;

/// Value. Keys and values are borrowed.
struct Body {
  std::int64_t user_word = no_user_word;  ///< of a GET: the milliseconds it waits, < 0 for ever
  Operation operation = Operation::set;   ///< decoded: any number
  std::vector<std::string_view> keys;
  std::vector<Bytes> values;
};

std::size_t packed_bytes(const Body& body);
/// Appends.
void pack(const Body& body, Value& out);
/// As the reference's server takes it: the size must be that of what was read, bytes behind that
/// are ignored; at most limits::v0_items_max keys and values each, keys of at most
/// limits::v0_key_bytes_max.
std::optional<Body> unpack(Bytes bytes);

/// Appends what stands before the bytes of an answer's one value.
void pack_value_head(Operation operation, std::size_t value_bytes, Value& out);

}  // namespace muster::wire::v0
