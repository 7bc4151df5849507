/// \file
/// Keys to bytes.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>

#include <muster/bytes.hpp>
#include <muster/result.hpp>

#include "server/core/actions.hpp"

namespace muster::server {

/// Lets a map keyed by std::string be asked with a borrowed text.
struct TextHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const {
    return std::hash<std::string_view>{}(text);
  }
};

/// Value. What is under one key: a small value in a buffer that is used again, a large one shared
/// with the answers that carry it.
class Stored {
 public:
  void assign(Bytes value);
  Bytes bytes() const { return shared_ ? Bytes(*shared_) : Bytes(small_); }
  /// Null for a small value.
  const Shared& shared() const { return shared_; }

 private:
  Value small_;
  Shared shared_;
};

/// Resource. Errors are `limit` for a key or value out of range, `quota` when the table would grow
/// over its bound; the table is then as it was.
class Table {
 public:
  /// `bytes_max` bounds keys and values, and entry_bytes for each entry.
  explicit Table(std::size_t bytes_max) : bytes_max_(bytes_max) {}

  Result<void> set(std::string_view key, Bytes value);
  /// The value, or null; valid until the key is next set, added to or removed. Fails only for the
  /// length of the key.
  Result<const Stored*> get(std::string_view key) const;
  /// Adds to a decimal integer; an absent key counts as 0. The sum is stored as its shortest
  /// decimal text. `invalid_argument` if the value is no 64-bit integer, `limit` if the sum is
  /// none.
  Result<std::int64_t> add(std::string_view key, std::int64_t delta);
  Result<bool> remove(std::string_view key);

  std::size_t size() const { return entries_.size(); }
  std::size_t bytes() const { return bytes_; }

  /// What an entry costs beyond its key and value.
  static constexpr std::size_t entry_bytes = 64;

 private:
  using Entries = std::unordered_map<std::string, Stored, TextHash, std::equal_to<>>;

  Result<void> put(Entries::iterator found, std::string_view key, Bytes value);

  std::size_t bytes_max_;
  std::size_t bytes_ = 0;
  Entries entries_;
};

}  // namespace muster::server
