#include "wire/cursor.hpp"

#include <algorithm>
#include <limits>

#include "base/assert.hpp"

namespace muster::wire {

bool Reader::boolean() {
  const std::uint8_t byte = u8();
  if (byte > 1) fail();
  return byte == 1;
}

std::string_view Reader::text() {
  return as_text(bytes(u16()));
}

Bytes Reader::value() {
  return bytes(u32());
}

void Writer::text(std::string_view text) {
  text = text.substr(0, std::numeric_limits<std::uint16_t>::max());
  u16(static_cast<std::uint16_t>(text.size()));
  bytes(as_bytes(text));
}

void Writer::value(Bytes raw) {
  MUSTER_ASSERT(raw.size() <= std::numeric_limits<std::uint32_t>::max());
  u32(static_cast<std::uint32_t>(raw.size()));
  bytes(raw);
}

}  // namespace muster::wire
