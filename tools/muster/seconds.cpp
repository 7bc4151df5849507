#include "seconds.hpp"

#include <charconv>

#include "base/limits.hpp"

namespace muster::tool {

std::optional<Duration> parse_seconds(std::string_view text) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, value, std::chars_format::fixed);
  const std::chrono::duration<double> most = limits::wait_max;
  if (parsed.ec != std::errc{} || parsed.ptr != end) return std::nullopt;
  if (!(value >= 0 && value <= most.count())) return std::nullopt;
  return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(value));
}

CLI::Validator seconds() {
  const auto check = [](std::string& text) -> std::string {
    if (parse_seconds(text)) return {};
    return "'" + text + "' is no number of seconds from 0 to 45 days";
  };
  return {check, "", "seconds"};
}

CLI::Validator seconds_above_0() {
  const auto check = [](std::string& text) -> std::string {
    if (parse_seconds(text).value_or(Duration::zero()) > Duration::zero()) return {};
    return "'" + text + "' is no number of seconds above 0, at most 45 days";
  };
  return {check, "", "seconds above 0"};
}

}  // namespace muster::tool
