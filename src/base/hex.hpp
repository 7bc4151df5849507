/// \file
/// Hexadecimal back to bytes.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace muster {

/// Fills `bytes` from exactly twice as many lower-case hex digits; false, and `bytes` unspecified,
/// for anything else.
bool from_hex(std::string_view text, std::span<std::byte> bytes);

}  // namespace muster
