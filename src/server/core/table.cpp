#include "server/core/table.hpp"

#include <charconv>
#include <fmt/format.h>
#include <optional>

#include "base/text.hpp"
#include "wire/store_limits.hpp"

namespace muster::server {
namespace {

/// From here on a value is shared instead of copied into each answer.
constexpr std::size_t shared_bytes_min = 4096;

std::optional<std::int64_t> parse_integer(Bytes value) {
  const std::string_view text = as_text(value);
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace

void Stored::assign(Bytes value) {
  if (value.size() >= shared_bytes_min) {
    shared_ = std::make_shared<const Value>(value.begin(), value.end());
    Value().swap(small_);
  } else {
    small_.assign(value.begin(), value.end());
    shared_.reset();
  }
}

Result<void> Table::set(std::string_view key, Bytes value) {
  if (auto good = wire::check_key(key); !good.ok()) return good;
  if (auto good = wire::check_value(key, value); !good.ok()) return good;
  return put(entries_.find(key), key, value);
}

Result<const Stored*> Table::get(std::string_view key) const {
  if (auto good = wire::check_key(key); !good.ok()) return std::move(good).error();
  const auto found = entries_.find(key);
  return found == entries_.end() ? nullptr : &found->second;
}

Result<std::int64_t> Table::add(std::string_view key, std::int64_t delta) {
  if (auto good = wire::check_key(key); !good.ok()) return std::move(good).error();
  const auto found = entries_.find(key);
  std::int64_t sum = 0;
  if (found != entries_.end()) {
    const auto number = parse_integer(found->second.bytes());
    if (!number) {
      return Error{.code = Code::invalid_argument,
                   .what = fmt::format("key {} holds {}, which is no 64-bit decimal integer",
                                       quoted(key), quoted(as_text(found->second.bytes())))};
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
  if (auto good = put(found, key, as_bytes(canonical)); !good.ok()) return std::move(good).error();
  return sum;
}

Result<bool> Table::remove(std::string_view key) {
  if (auto good = wire::check_key(key); !good.ok()) return std::move(good).error();
  const auto found = entries_.find(key);
  if (found == entries_.end()) return false;
  bytes_ -= entry_bytes + key.size() + found->second.bytes().size();
  entries_.erase(found);
  return true;
}

Result<void> Table::put(Entries::iterator found, std::string_view key, Bytes value) {
  const bool fresh = found == entries_.end();
  const std::size_t without =
      fresh ? bytes_ + entry_bytes + key.size() : bytes_ - found->second.bytes().size();
  if (without + value.size() > bytes_max_) {
    return Error{.code = Code::quota,
                 .what = fmt::format("key {} with {} bytes does not fit: the table's quota is {} "
                                     "bytes, {} are in use",
                                     quoted(key), value.size(), bytes_max_, bytes_),
                 .advice = "remove keys that are no longer needed"};
  }
  if (fresh) found = entries_.emplace(key, Stored{}).first;
  found->second.assign(value);
  bytes_ = without + value.size();
  return {};
}

}  // namespace muster::server
