#include "base/decimal.hpp"

#include <charconv>
#include <cmath>
#include <string_view>

namespace muster {

std::string decimal(double number) {
  if (std::isnan(number)) return "nan";
  char buffer[32];
  const double size = std::fabs(number);
  const bool fixed = size == 0 || (size >= 1e-4 && size < 1e16) || std::isinf(number);
  // to_chars gives the shortest digits either way, but drops the ".0" that tells 60.0 from 60.
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, number,
                                 fixed ? std::chars_format::fixed : std::chars_format::scientific);
  std::string text(buffer, end.ptr);
  if (fixed && std::isfinite(number) && text.find('.') == std::string::npos) text += ".0";
  return text;
}

}  // namespace muster
