/// \file
/// A value that may be absent, as messages carry it: a flag, and bytes that are empty without it.
#pragma once

#include <optional>

#include "wire/cursor.hpp"

namespace muster::wire {

/// The bytes, if they are `there`. Bytes of an absent value fail the reader that they came from.
inline std::optional<Bytes> maybe_bytes(Reader& reader, bool there, Bytes bytes) {
  if (there) return bytes;
  if (!bytes.empty()) reader.fail();
  return std::nullopt;
}

}  // namespace muster::wire
