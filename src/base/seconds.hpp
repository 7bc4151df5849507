/// \file
/// Durations as numbers of seconds, and from text.
#pragma once

#include <charconv>
#include <optional>
#include <string_view>

#include <muster/deadline.hpp>

namespace muster {

constexpr double to_seconds(Duration duration) {
  return std::chrono::duration<double>(duration).count();
}
/// Rounded down to the clock's unit, in whose range it must be.
constexpr Duration from_seconds(double seconds) {
  return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(seconds));
}

/// All of `text` as seconds from 0 to `most`; nothing if it is anything else.
std::optional<Duration> parse_seconds(std::string_view text, Duration most,
                                      std::chars_format form = std::chars_format::general);

}  // namespace muster
