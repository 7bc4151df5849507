#include "server/core/table.hpp"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <unordered_set>

#include "base/assert.hpp"
#include "base/integer.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"
#include "wire/store_limits.hpp"

namespace muster::server {

Result<void> Table::put(std::string_view key, Bytes value, std::uint32_t owner) {
  if (auto good = wire::check_key(key); !good.ok()) return good;
  if (auto good = wire::check_value(key, value); !good.ok()) return good;
  const auto found = entries_.find(key);
  if (!fits(cost(key, found), cost(key, value.size(), owner))) return full(key, value.size());
  place(key, found, value.size(), owner).assign(value);
  return {};
}

Result<void> Table::set_all(std::span<const Entry> entries) {
  if (auto good = wire::check_entries(entries); !good.ok()) return good;
  std::size_t less = 0;
  std::size_t more = 0;
  for (const Entry& entry : entries) {
    less += cost(entry.key, entries_.find(entry.key));
    more += cost(entry.key, entry.value.size(), no_rank);
  }
  if (!fits(less, more)) {
    return full(fmt::format("a set of {} keys that cost {}", entries.size(), more));
  }
  for (const Entry& entry : entries) {
    place(entry.key, entries_.find(entry.key), entry.value.size(), no_rank).assign(entry.value);
  }
  return {};
}

std::vector<Table::Entry> Table::last_of_each(std::span<const Entry> entries) {
  std::unordered_set<std::string_view> seen;
  std::vector<Entry> kept;
  for (auto entry = entries.rbegin(); entry != entries.rend(); ++entry) {
    if (seen.insert(entry->key).second) kept.push_back(*entry);
  }
  std::ranges::reverse(kept);
  return kept;
}

Result<std::vector<const Stored*>> Table::get_all(std::span<const std::string_view> keys) const {
  std::vector<const Stored*> values;
  std::vector<Entry> entries;
  for (const std::string_view key : keys) {
    values.push_back(find(key));
    entries.push_back({key, values.back() == nullptr ? Bytes{} : values.back()->bytes()});
  }
  if (auto good = wire::check_entries(entries); !good.ok()) return std::move(good).error();
  return values;
}

Result<const Stored*> Table::get(std::string_view key) const {
  if (auto good = wire::check_key(key); !good.ok()) return std::move(good).error();
  return find(key);
}

const Stored* Table::find(std::string_view key) const {
  const auto found = entries_.find(key);
  return found == entries_.end() ? nullptr : &found->second.stored;
}

Result<std::int64_t> Table::add(std::string_view key, std::int64_t delta) {
  if (auto good = wire::check_key(key); !good.ok()) return std::move(good).error();
  std::int64_t sum = 0;
  if (const Stored* stored = find(key)) {
    const auto number = parse_integer(as_text(stored->bytes()));
    if (!number) {
      return Error{.code = Code::invalid_argument,
                   .what = fmt::format("key {} holds {}, which is no 64-bit decimal integer",
                                       quoted(key), quoted(as_text(stored->bytes())))};
    }
    sum = *number;
  }
  if (__builtin_add_overflow(sum, delta, &sum)) {
    return Error{
        .code = Code::limit,
        .what = fmt::format("adding {} to key {} goes beyond 64 bits", delta, quoted(key))};
  }
  char text[24];
  const char* end = std::to_chars(text, text + sizeof text, sum).ptr;
  const std::string_view canonical(text, static_cast<std::size_t>(end - text));
  if (auto good = set(key, as_bytes(canonical)); !good.ok()) return std::move(good).error();
  return sum;
}

Result<std::size_t> Table::append(std::string_view key, Bytes value) {
  if (auto good = wire::check_key(key); !good.ok()) return std::move(good).error();
  const auto found = entries_.find(key);
  const std::size_t before = found == entries_.end() ? 0 : found->second.stored.bytes().size();
  if (value.size() > limits::value_bytes_max - before) {
    return Error{.code = Code::limit,
                 .what = fmt::format("a value has at most {} bytes: key {} has {}, {} more do not "
                                     "fit behind them",
                                     limits::value_bytes_max, quoted(key), before, value.size())};
  }
  const std::size_t size = before + value.size();
  if (!fits(cost(key, found), cost(key, size, no_rank))) return full(key, size);
  place(key, found, size, no_rank).append(value);
  return size;
}

Result<Table::Compared> Table::compare_set(std::string_view key, std::optional<Bytes> expected,
                                           Bytes desired) {
  if (auto good = wire::check_value(key, desired); !good.ok()) return std::move(good).error();
  auto found = get(key);
  if (!found.ok()) return std::move(found).error();
  Compared compared;
  if (*found != nullptr) compared.before = **found;
  const bool there = compared.before.has_value();
  compared.swapped = there == expected.has_value() &&
                     (!there || as_text(compared.before->bytes()) == as_text(*expected));
  if (!compared.swapped) return compared;
  if (auto good = set(key, desired); !good.ok()) return std::move(good).error();
  return compared;
}

Result<bool> Table::remove(std::string_view key) {
  if (auto good = wire::check_key(key); !good.ok()) return std::move(good).error();
  const auto found = entries_.find(key);
  if (found == entries_.end()) return false;
  erase(found);
  return true;
}

Table::Page Table::list(std::string_view prefix, std::string_view after,
                        std::size_t keys_max) const {
  Page page;
  auto at = after < prefix ? in_order_.lower_bound(prefix) : in_order_.upper_bound(after);
  const std::size_t count_max = std::min(keys_max, limits::listed_keys_max);
  std::size_t bytes = 0;
  for (; at != in_order_.end() && at->starts_with(prefix); ++at) {
    bytes += at->size();
    page.more = page.keys.size() == count_max || bytes > limits::listed_bytes_max;
    if (page.more) break;
    page.keys.push_back(*at);
  }
  return page;
}

std::vector<std::string> Table::owned_by(std::uint32_t rank) const {
  std::vector<std::string> keys;
  for (auto at = by_owner_.lower_bound({rank, ""}); at != by_owner_.end() && at->first == rank;
       ++at) {
    keys.emplace_back(at->second);
  }
  return keys;
}

void Table::depart(std::string_view key, std::shared_ptr<const Departure> departure) {
  const auto found = entries_.find(key);
  MUSTER_ASSERT(found != entries_.end() && found->second.owner != no_rank);
  erase(found);
  departed_.emplace(key, std::move(departure));
  bytes_ += cost(key, 0, no_rank);
}

const Departure* Table::departure(std::string_view key) const {
  if (departed_.empty()) return nullptr;
  const auto found = departed_.find(key);
  return found == departed_.end() ? nullptr : found->second.get();
}

std::size_t Table::cost(std::string_view key, std::size_t value_bytes, std::uint32_t owner) {
  return entry_bytes + key.size() + value_bytes + (owner == no_rank ? 0 : owned_bytes);
}

std::size_t Table::cost(std::string_view key, Cells::const_iterator found) const {
  if (found != entries_.end()) {
    return cost(key, found->second.stored.bytes().size(), found->second.owner);
  }
  return departure(key) != nullptr ? cost(key, 0, no_rank) : 0;
}

Error Table::full(std::string_view key, std::size_t value_bytes) const {
  return full(fmt::format("key {} with {}", quoted(key), value_bytes));
}

Error Table::full(std::string_view what) const {
  return Error{.code = Code::quota,
               .what = fmt::format("{} bytes does not fit: the table's quota is {} bytes, {} are "
                                   "in use",
                                   what, bytes_max_, bytes_),
               .advice = "remove keys that are no longer needed"};
}

Stored& Table::place(std::string_view key, Cells::iterator found, std::size_t value_bytes,
                     std::uint32_t owner) {
  bytes_ = bytes_ - cost(key, found) + cost(key, value_bytes, owner);
  if (found == entries_.end()) {
    if (!departed_.empty()) {
      if (const auto gone = departed_.find(key); gone != departed_.end()) departed_.erase(gone);
    }
    found = entries_.emplace(key, Cell{}).first;
    in_order_.insert(found->first);
  }
  Cell& cell = found->second;
  if (cell.owner != owner) {
    if (cell.owner != no_rank) by_owner_.erase({cell.owner, found->first});
    if (owner != no_rank) by_owner_.emplace(owner, found->first);
    cell.owner = owner;
  }
  return cell.stored;
}

void Table::erase(Cells::iterator found) {
  bytes_ -= cost(found->first, found);
  if (found->second.owner != no_rank) by_owner_.erase({found->second.owner, found->first});
  in_order_.erase(found->first);
  entries_.erase(found);
}

}  // namespace muster::server
