/// \file
/// Bytes as Muster passes them: a borrowed range going in, an owned buffer coming out.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace muster {

/// Value. A borrowed range of bytes; a function that takes one reads it only until it returns.
using Bytes = std::span<const std::byte>;

/// Value. An owned buffer; the empty one is a value like any other.
using Value = std::vector<std::byte>;

/// The bytes of `text`, borrowed.
inline Bytes as_bytes(std::string_view text) {
  return {reinterpret_cast<const std::byte*>(text.data()), text.size()};
}

/// `bytes` seen as text, borrowed. Nothing is checked: it may hold any byte.
inline std::string_view as_text(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// An owned copy.
inline Value to_value(Bytes bytes) {
  return {bytes.begin(), bytes.end()};
}
inline Value to_value(std::string_view text) {
  return to_value(as_bytes(text));
}

}  // namespace muster
