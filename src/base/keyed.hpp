/// \file
/// Digests under a key, and keys made of a secret.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <span>
#include <string_view>

#include <muster/bytes.hpp>
#include <muster/digest.hpp>

namespace muster {

/// HMAC-SHA-256 (RFC 2104) of the parts, one behind the other.
Digest hmac_sha256(Bytes key, std::initializer_list<Bytes> parts);

/// The first 32 bytes of HKDF-SHA-256 (RFC 5869).
Digest hkdf_sha256(Bytes secret, Bytes salt, std::string_view info);

/// Whether they are equal; takes as long wherever they differ.
bool equal_in_constant_time(Bytes a, Bytes b);

/// Overwrites what a secret was in, so that the compiler does not leave it out.
void wipe(std::span<std::byte> bytes);

}  // namespace muster
