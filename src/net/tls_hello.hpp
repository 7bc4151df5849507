/// \file
/// Where a TLS ClientHello ends, found without any of TLS's machinery: before it is complete, a
/// stranger costs its bytes and no more.
#pragma once

#include <cstdint>

#include <muster/bytes.hpp>

namespace muster::net {

/// What a TLS record with a handshake message begins with.
inline constexpr std::byte tls_first_byte{0x16};

enum class TlsHello : std::uint8_t { more, complete, broken };

/// Of what a peer has sent so far. `broken`: no ClientHello begins like that, or only one of more
/// than limits::tls_hello_bytes_max. What follows a complete one is not looked at.
TlsHello scan_tls_hello(Bytes bytes);

}  // namespace muster::net
