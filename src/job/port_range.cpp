#include <fmt/format.h>

#include <muster/join_options.hpp>

#include "base/integer.hpp"
#include "base/text.hpp"

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
  return Error{.code = Code::invalid_argument,
               .what = quoted(text) + " is no range of ports",
               .advice =
                   "expected first:last, for example 29400:29499; 1 to 65535, the first not "
                   "above the last"};
}

std::string PortRange::text() const {
  return fmt::format("{}:{}", first, last);
}

}  // namespace muster
