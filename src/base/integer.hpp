/// \file
/// 64-bit integers from text.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace muster {

/// All of `text` as a decimal integer; nothing if it is none, or does not fit: "-7", "007", but not
/// "", "+7", " 7" or "7x".
std::optional<std::int64_t> parse_integer(std::string_view text);

}  // namespace muster
