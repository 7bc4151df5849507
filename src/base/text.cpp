#include "base/text.hpp"

#include <algorithm>
#include <cstddef>
#include <fmt/format.h>

namespace muster {
namespace {

/// Bytes of the well-formed UTF-8 sequence at the front of `text`, 0 if there is none (RFC 3629).
std::size_t utf8_length(std::string_view text) {
  const auto at = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const auto tail = [&](std::size_t i) { return i < text.size() && (at(i) & 0xC0) == 0x80; };
  const unsigned lead = at(0);
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead <= 0xDF) return tail(1) ? 2 : 0;
  if (lead >= 0xE0 && lead <= 0xEF) {
    if (!tail(1) || !tail(2)) return 0;
    const bool overlong = lead == 0xE0 && at(1) < 0xA0;
    const bool surrogate = lead == 0xED && at(1) > 0x9F;
    return overlong || surrogate ? 0 : 3;
  }
  if (lead >= 0xF0 && lead <= 0xF4) {
    if (!tail(1) || !tail(2) || !tail(3)) return 0;
    const bool overlong = lead == 0xF0 && at(1) < 0x90;
    const bool beyond = lead == 0xF4 && at(1) > 0x8F;
    return overlong || beyond ? 0 : 4;
  }
  return 0;
}

}  // namespace

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

std::string printable(std::string_view text, std::size_t bytes_max) {
  std::string line;
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    const auto lead = static_cast<unsigned char>(text[0]);
    std::string_view next = "?";
    if (lead == '\n' || lead == '\t') {
      next = " ";
    } else if (length > 1 || (length == 1 && lead >= 0x20 && lead != 0x7F)) {
      next = text.substr(0, length);
    }
    // C1 controls are two bytes, C2 80 to C2 9F: terminals obey them too.
    if (length == 2 && lead == 0xC2 && static_cast<unsigned char>(text[1]) < 0xA0) next = "?";
    if (line.size() + next.size() > bytes_max) {
      const std::string_view end = std::string_view("...").substr(0, bytes_max);
      line.resize(std::min(line.size(), bytes_max - end.size()));
      while (!is_utf8(line)) line.pop_back();
      return line.append(end);
    }
    line += next;
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return line;
}

std::string quoted(std::string_view bytes) {
  constexpr std::size_t shown_max = 64;
  constexpr std::string_view secret = "muster1:";
  const std::size_t at = bytes.find(secret);
  const std::size_t shown = at == bytes.npos ? shown_max : std::min(shown_max, at + secret.size());
  std::string line = "'";
  for (const char c : bytes.substr(0, shown)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte < 0x7F && byte != '\\' && byte != '\'') {
      line += c;
    } else {
      line += fmt::format("\\x{:02x}", byte);
    }
  }
  if (bytes.size() > shown) line += fmt::format("... ({} bytes)", bytes.size());
  return line + "'";
}

std::string rank_ranges(std::span<const std::uint32_t> ascending, std::size_t items_max) {
  std::string line;
  std::size_t items = 0;
  for (std::size_t i = 0; i < ascending.size();) {
    if (items++ == items_max) return line + fmt::format(", ... ({} in all)", ascending.size());
    std::size_t last = i;
    while (last + 1 < ascending.size() && ascending[last + 1] == ascending[last] + 1) ++last;
    if (!line.empty()) line += ", ";
    line += last == i ? fmt::format("{}", ascending[i])
                      : fmt::format("{}-{}", ascending[i], ascending[last]);
    i = last + 1;
  }
  return line;
}

}  // namespace muster
