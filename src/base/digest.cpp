#include <openssl/sha.h>

#include <muster/digest.hpp>

namespace muster {

Digest sha256(Bytes bytes) {
  Digest digest;
  SHA256(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(),
         reinterpret_cast<unsigned char*>(digest.data()));
  return digest;
}

std::string to_hex(Bytes bytes) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  text.reserve(2 * bytes.size());
  for (const std::byte byte : bytes) {
    text += digits[static_cast<std::size_t>(byte >> 4)];
    text += digits[static_cast<std::size_t>(byte & std::byte{15})];
  }
  return text;
}

}  // namespace muster
