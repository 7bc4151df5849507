/// \file
/// What a server answers to the requests of a remote store, read; and its errors, about the key.
#pragma once

#include <concepts>
#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include <muster/bytes.hpp>
#include <muster/result.hpp>
#include <muster/store.hpp>

#include "wire/cursor.hpp"

namespace muster {

/// Value. What was asked, for the error's text.
struct Operation {
  std::string_view name;
  std::string_view key;       ///< or prefix, or the first of several keys; may be empty
  std::size_t key_count = 1;  ///< that many keys
};

/// The error names the key, whoever worded it.
Error about(const Operation& operation, Error error);
Error malformed(const Operation& operation);

/// `limit`, if a compare_set's two values do not fit one request.
Result<void> check_swap(std::string_view key, std::optional<Bytes> expected, Bytes desired);

// Each reads a good answer's body, or passes the error on.
Result<void> read_nothing(const Operation& operation, Result<Value> answer);
Result<bool> read_truth(const Operation& operation, Result<Value> answer);
Result<Swap> read_swap(const Operation& operation, Result<Value> answer);
Result<std::vector<std::optional<Value>>> read_values(const Operation& operation,
                                                      Result<Value> answer);
Result<KeyPage> read_page(const Operation& operation, Result<Value> answer);
template <std::integral T>
requires(sizeof(T) == 8) Result<T> read_number(const Operation& operation, Result<Value> answer) {
  if (!answer) return std::move(answer).error();
  wire::Reader reader(*answer);
  const auto read = static_cast<T>(reader.u64());
  if (!reader.done()) return malformed(operation);
  return read;
}

/// A CHANGED frame's body; nothing if it is malformed.
std::optional<Change> read_change(Bytes body);

}  // namespace muster
