#include "wire/store_limits.hpp"

#include <fmt/format.h>

#include "base/limits.hpp"
#include "base/text.hpp"

namespace muster::wire {
namespace {

/// What the lengths of many entries take in a frame is left for them.
constexpr std::size_t many_bytes_max =
    limits::value_bytes_max - limits::keys_a_request_max * std::size_t{8};

Error over_limit(std::string what) {
  return Error{.code = Code::limit, .what = std::move(what)};
}

Result<void> check_count(std::size_t count) {
  if (count <= limits::keys_a_request_max) return {};
  return over_limit(fmt::format("a call takes at most {} keys, this one has {}",
                                limits::keys_a_request_max, count));
}

}  // namespace

Result<void> check_key(std::string_view key) {
  if (!key.empty() && key.size() <= limits::key_bytes_max) return {};
  return over_limit(
      fmt::format("a key has 1 to {} bytes, this one has {}", limits::key_bytes_max, key.size()));
}

Result<void> check_value(std::string_view key, Bytes value) {
  if (value.size() <= limits::value_bytes_max) return {};
  return over_limit(fmt::format("a value has at most {} bytes, the one for key {} has {}",
                                limits::value_bytes_max, quoted(key), value.size()));
}

Result<void> check_prefix(std::string_view prefix) {
  if (prefix.size() <= limits::key_bytes_max) return {};
  return over_limit(fmt::format("a prefix has at most {} bytes, this one has {}",
                                limits::key_bytes_max, prefix.size()));
}

Result<void> check_keys(std::span<const std::string_view> keys) {
  if (auto good = check_count(keys.size()); !good) return good;
  for (const std::string_view key : keys) {
    if (auto good = check_key(key); !good) return good;
  }
  return {};
}

Result<void> check_entries(std::span<const MultiSetRequest::Entry> entries) {
  if (auto good = check_count(entries.size()); !good) return good;
  std::size_t total = 0;
  for (const MultiSetRequest::Entry& entry : entries) {
    if (auto good = check_key(entry.key); !good) return good;
    if (auto good = check_value(entry.key, entry.value); !good) return good;
    total += entry.key.size() + entry.value.size();
  }
  if (total <= many_bytes_max) return {};
  return over_limit(
      fmt::format("the keys and values of one call have at most {} bytes together, "
                  "these have {}",
                  many_bytes_max, total));
}

}  // namespace muster::wire
