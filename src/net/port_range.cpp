#include "net/port_range.hpp"

#include <fmt/format.h>

#include "base/integer.hpp"
#include "base/text.hpp"
#include "base/usage_error.hpp"

namespace muster {

Result<PortRange> PortRange::parse(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon != text.npos) {
    const auto first = parse_integer(text.substr(0, colon));
    const auto last = parse_integer(text.substr(colon + 1));
    if (first && last && 1 <= *first && *first <= *last && *last <= 65535) {
      return PortRange{static_cast<std::uint16_t>(*first), static_cast<std::uint16_t>(*last)};
    }
  }
  return usage_error(quoted(text) + " is no range of ports",
                     "expected first:last, for example 29400:29499; 1 to 65535, the first not "
                     "above the last");
}

std::string PortRange::text() const {
  return fmt::format("{}:{}", first, last);
}

Result<void> check_port_range(const PortRange& range) {
  if (range.first != 0 && range.first <= range.last) return {};
  return usage_error(fmt::format("port_range is {}", range.text()),
                     "expected first:last, from 1 to 65535, the first not above the last");
}

}  // namespace muster
