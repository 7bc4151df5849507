/// \file
/// What protects Muster's links in a measurement.
#pragma once

#include <muster/security.hpp>

#include "side.hpp"

namespace muster::bench {

inline Credentials credentials(Protection protection) {
  Credentials credentials;
  if (protection == Protection::none) return credentials;
  credentials.security = protection == Protection::tls ? Security::tls : Security::secret;
  credentials.secret = Secret::from_bytes(Value(32, std::byte{7})).value();
  return credentials;
}

}  // namespace muster::bench
