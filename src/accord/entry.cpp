#include "accord/entry.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <fmt/format.h>

#include "accord/encoding.hpp"
#include "base/decimal.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"

namespace muster::accord {

const char* type_name(std::uint8_t type) {
  switch (static_cast<Type>(type)) {
    case Type::integer:
      return "integer";
    case Type::real:
      return "real";
    case Type::boolean:
      return "boolean";
    case Type::text:
      return "text";
    case Type::blob:
      return "blob";
  }
  return "unknown";
}

bool is_entry_name(std::string_view name) {
  return !name.empty() && name.size() <= limits::entry_name_bytes_max &&
         std::all_of(name.begin(), name.end(), [](char c) { return c > ' ' && c < '\x7f'; });
}

bool is_entry_value(std::uint8_t type, Bytes bytes) {
  if (bytes.size() > limits::entry_value_bytes_max) return false;
  switch (static_cast<Type>(type)) {
    case Type::integer:
      return bytes.size() == 8;
    case Type::real: {
      if (bytes.size() != 8) return false;
      const auto number = std::bit_cast<double>(Decoder(bytes).u64());
      return std::isfinite(number) && !(number == 0 && std::signbit(number));
    }
    case Type::boolean:
      return bytes.size() == 1 && bytes[0] <= std::byte{1};
    case Type::text:
      return is_utf8(as_text(bytes));
    case Type::blob:
      return true;
  }
  return false;
}

std::size_t canonical_bytes(const Contract::Entry& entry) {
  return 4 + entry.name.size() + 1 + 4 + entry.value.size();
}

Digest entry_digest(const Epoch& epoch, const Contract::Entry& entry) {
  return Encoder("muster entry v1")
      .epoch(epoch)
      .sized(as_bytes(entry.name))
      .u8(entry.type)
      .sized(entry.value)
      .digest();
}

Digest fingerprint_of(const Epoch& epoch, std::span<const Commitment> commitments) {
  Encoder encoder("muster fingerprint v1");
  encoder.epoch(epoch).u32(static_cast<std::uint32_t>(commitments.size()));
  for (const Commitment& entry : commitments) {
    encoder.sized(as_bytes(entry.name)).u8(entry.type).bytes(entry.digest);
  }
  return encoder.digest();
}

std::string shown_value(std::uint8_t type, Bytes value) {
  constexpr std::size_t blob_bytes_shown = 16;
  switch (static_cast<Type>(type)) {
    case Type::integer:
      return fmt::format("{}", static_cast<std::int64_t>(Decoder(value).u64()));
    case Type::real:
      return decimal(std::bit_cast<double>(Decoder(value).u64()));
    case Type::boolean:
      return Decoder(value).u8() == 0 ? "false" : "true";
    case Type::text:
      return quoted(as_text(value));
    case Type::blob:
      break;
  }
  if (value.empty()) return "nothing (0 bytes)";
  const Bytes front = value.first(std::min(value.size(), blob_bytes_shown));
  return fmt::format("{}{} ({} bytes)", to_hex(front), front.size() < value.size() ? "..." : "",
                     value.size());
}

}  // namespace muster::accord
