#include "base/seconds.hpp"

namespace muster {

std::optional<Duration> parse_seconds(std::string_view text, Duration most,
                                      std::chars_format form) {
  double seconds = 0;
  const char* last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, seconds, form);
  // Written so that NaN is refused.
  if (error != std::errc{} || end != last || !(seconds >= 0 && seconds <= to_seconds(most))) {
    return std::nullopt;
  }
  return from_seconds(seconds);
}

}  // namespace muster
