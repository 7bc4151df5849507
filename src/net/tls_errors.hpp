/// \file
/// What OpenSSL says of a link that does not work, in Muster's words.
#pragma once

#include <string>

#include "net/tls.hpp"

namespace muster::net {

/// Value.
struct TlsTrouble {
  Tls::Failure failure = Tls::Failure::other;
  std::string text;
};

/// Takes this thread's errors from OpenSSL. `noted`: what the check of the peer's certificate
/// found.
TlsTrouble last_tls_trouble(const TlsContext& context, const std::string& noted);

}  // namespace muster::net
