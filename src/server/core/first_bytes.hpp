/// \file
/// What a stranger seems to be, in words for the log.
#pragma once

#include <muster/bytes.hpp>

namespace muster::server {

/// Of bytes that are no hello: "an HTTP request", "a TLS hello", ..., "noise".
const char* likeness(Bytes first);

/// Whether they are how TLS begins.
bool first_is_tls(Bytes first);

}  // namespace muster::server
