/// \file
/// 64-bit integers from text.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

namespace muster {

/// All of `text` as a decimal integer; nothing if it is none, or does not fit: "-7", "007", but not
/// "", "+7", " 7" or "7x".
std::optional<std::int64_t> parse_integer(std::string_view text);

/// Digits alone, as a T of 32 bits or fewer; nothing if it is anything else, or does not fit.
template <class T>
std::optional<T> parse_count(std::string_view text) {
  const auto number = text.starts_with('-') ? std::nullopt : parse_integer(text);
  if (!number || *number > std::int64_t{std::numeric_limits<T>::max()}) return std::nullopt;
  return static_cast<T>(*number);
}

}  // namespace muster
