#include "wire/store_limits.hpp"

#include <fmt/format.h>

#include "base/limits.hpp"
#include "base/text.hpp"

namespace muster::wire {
namespace {

Error over_limit(std::string what) {
  return Error{.code = Code::limit, .what = std::move(what)};
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

}  // namespace muster::wire
