#include "base/keyed.hpp"

#include <openssl/crypto.h>
#include <openssl/hmac.h>

#include "base/assert.hpp"

namespace muster {

Digest hmac_sha256(Bytes key, std::initializer_list<Bytes> parts) {
  std::size_t size = 0;
  for (const Bytes part : parts) size += part.size();
  Value message;
  message.reserve(size);
  for (const Bytes part : parts) message.insert(message.end(), part.begin(), part.end());
  Digest digest;
  const auto* done = HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()),
                          reinterpret_cast<const unsigned char*>(message.data()), message.size(),
                          reinterpret_cast<unsigned char*>(digest.data()), nullptr);
  MUSTER_ASSERT(done != nullptr);
  wipe(message);
  return digest;
}

Digest hkdf_sha256(Bytes secret, Bytes salt, std::string_view info) {
  // One block of the expansion is all that 32 bytes need.
  const Digest zeros{};
  Digest extracted = hmac_sha256(salt.empty() ? Bytes(zeros) : salt, {secret});
  const std::byte first{1};
  const Digest key = hmac_sha256(extracted, {as_bytes(info), Bytes(&first, 1)});
  wipe(extracted);
  return key;
}

bool equal_in_constant_time(Bytes a, Bytes b) {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

void wipe(std::span<std::byte> bytes) {
  if (!bytes.empty()) OPENSSL_cleanse(bytes.data(), bytes.size());
}

}  // namespace muster
