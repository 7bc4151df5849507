#include "seconds.hpp"

#include "base/limits.hpp"
#include "base/seconds.hpp"

namespace muster::tool {

std::optional<Duration> parse_seconds(std::string_view text) {
  return muster::parse_seconds(text, limits::wait_max, std::chars_format::fixed);
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
