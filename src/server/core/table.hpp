/// \file
/// Keys to bytes, in the order of the keys; which rank owns a key, and which keys went with theirs.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <muster/bytes.hpp>
#include <muster/result.hpp>
#include <muster/roster.hpp>

#include "server/core/stored.hpp"
#include "wire/many_messages.hpp"

namespace muster::server {

/// Lets a map keyed by std::string be asked with a borrowed text.
struct TextHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const {
    return std::hash<std::string_view>{}(text);
  }
};

/// How the owner of a key ended: `rank_left`, `rank_failed` or `rank_lost`.
struct Departure {
  Code code = Code::rank_lost;
  RankName who;
};

/// Resource. Errors are `limit` for a key or value out of range, `quota` when the table would grow
/// over its bound; the table is then as it was.
class Table {
 public:
  using Entry = wire::MultiSetRequest::Entry;

  /// `bytes_max` bounds keys and values, entry_bytes for each entry, owned_bytes for each that is
  /// owned; and the keys that went with their owner, which keep their place until they are set
  /// anew.
  explicit Table(std::size_t bytes_max) : bytes_max_(bytes_max) {}

  /// Every change but set_owned ends the ownership of the key.
  Result<void> set(std::string_view key, Bytes value) { return put(key, value, no_rank); }
  Result<void> set_owned(std::string_view key, Bytes value, std::uint32_t owner) {
    return put(key, value, owner);
  }
  /// All or nothing; no key twice.
  Result<void> set_all(std::span<const Entry> entries);
  /// For set_all: of a key that comes twice only the last is left.
  static std::vector<Entry> last_of_each(std::span<const Entry> entries);
  /// The value, or null; valid until the key is next changed. Fails only for the length of the key.
  Result<const Stored*> get(std::string_view key) const;
  /// The same for a key that has been checked.
  const Stored* find(std::string_view key) const;
  /// Null where a key is absent. Also `limit` if all of it is more than one call may carry.
  Result<std::vector<const Stored*>> get_all(std::span<const std::string_view> keys) const;
  /// Adds to a decimal integer; an absent key counts as 0. The sum is stored as its shortest
  /// decimal text. `invalid_argument` if the value is no 64-bit integer, `limit` if the sum is
  /// none.
  Result<std::int64_t> add(std::string_view key, std::int64_t delta);
  /// The new length.
  Result<std::size_t> append(std::string_view key, Bytes value);
  struct Compared {
    bool swapped = false;
    std::optional<Stored> before;
  };
  /// No `expected`: the key must be absent.
  Result<Compared> compare_set(std::string_view key, std::optional<Bytes> expected, Bytes desired);
  Result<bool> remove(std::string_view key);

  struct Page {
    std::vector<std::string_view> keys;  ///< valid until the table is next changed
    bool more = false;
  };
  /// The keys that begin with `prefix` and sort behind `after`, within the limits of a page. Costs
  /// what it returns.
  Page list(std::string_view prefix, std::string_view after, std::size_t keys_max) const;

  std::vector<std::string> owned_by(std::uint32_t rank) const;
  /// The owner of `key`, which has one, is gone, and the key with it.
  void depart(std::string_view key, std::shared_ptr<const Departure> departure);
  /// What became of the owner of an absent key; null if it went otherwise.
  const Departure* departure(std::string_view key) const;

  std::size_t size() const { return entries_.size(); }
  std::size_t bytes() const { return bytes_; }

  /// What an entry costs beyond its key and value: its place in the index by hash, which is for
  /// speed, and in the one by order.
  static constexpr std::size_t entry_bytes = 192;
  static constexpr std::size_t owned_bytes = 64;

 private:
  struct Cell {
    Stored stored;
    std::uint32_t owner = no_rank;
  };
  using Cells = std::unordered_map<std::string, Cell, TextHash, std::equal_to<>>;

  Result<void> put(std::string_view key, Bytes value, std::uint32_t owner);
  /// What the key costs now, and what it would.
  std::size_t cost(std::string_view key, Cells::const_iterator found) const;
  static std::size_t cost(std::string_view key, std::size_t value_bytes, std::uint32_t owner);
  bool fits(std::size_t less, std::size_t more) const { return bytes_ - less + more <= bytes_max_; }
  Error full(std::string_view key, std::size_t value_bytes) const;
  Error full(std::string_view what) const;
  /// The quota has been checked: the key's cell, its costs counted, for a value of that size.
  Stored& place(std::string_view key, Cells::iterator found, std::size_t value_bytes,
                std::uint32_t owner);
  void erase(Cells::iterator found);

  std::size_t bytes_max_;
  std::size_t bytes_ = 0;
  Cells entries_;
  std::set<std::string_view> in_order_;                            ///< the keys of entries_
  std::set<std::pair<std::uint32_t, std::string_view>> by_owner_;  ///< likewise
  std::unordered_map<std::string, std::shared_ptr<const Departure>, TextHash, std::equal_to<>>
      departed_;
};

}  // namespace muster::server
