/// \file
/// Credentials, made into what links and servers take.
#pragma once

#include <muster/result.hpp>
#include <muster/security.hpp>

#include "client/driver/link.hpp"
#include "server/driver/server.hpp"

namespace muster {

/// The link shows `credentials`, and asks the server for the same; its hello says which job, if
/// that is known. Errors: those of Credentials::settled() and TlsContext::make.
Result<void> protect(client::LinkOptions& link, const Credentials& credentials);

/// The server, which knows its job, asks peers for `credentials`. Errors: as above.
Result<void> protect(server::ServeOptions& serving, const Credentials& credentials);

}  // namespace muster
