/// \file
/// One link to a server, driven by whoever calls: no thread of its own, no event loop.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include <muster/deadline.hpp>
#include <muster/result.hpp>
#include <muster/roster.hpp>
#include <muster/security.hpp>

#include "client/core/caller.hpp"
#include "net/fd.hpp"
#include "net/tls_context.hpp"
#include "net/url.hpp"
#include "wire/hello.hpp"

namespace muster::client {

struct LinkOptions {
  wire::ClientHello hello;       ///< nonce and time left are filled in
  std::optional<Secret> secret;  ///< to prove, and to have proven
  /// Everything goes through TLS; none: in the clear.
  std::shared_ptr<const net::TlsContext> tls;
  Duration operation_timeout = std::chrono::seconds{120};
  /// Once: the job is doomed, or the server is gone without having been left. From a caller's
  /// thread or the watcher's; must not block or call the link.
  std::function<void(const Failure&)> on_failure;
  bool watch = true;  ///< false: the owner steps the link; nothing is noticed between calls
  bool beats = true;  ///< of a watched link: signs of life, if the server gives some
};

/// Connects to `url` and is admitted, before `deadline`. Connections that are refused or reset,
/// also in the middle of the hello, are tried again; a refusal by a Muster server is final. Errors:
/// `unreachable`, `refused`, `protocol` (no Muster server), `timeout` in phase tls or hello
/// ("connected, silent for N s"). A `url` of version 0 makes a raw link, and of `options` the hello
/// is not sent.
Result<std::shared_ptr<Caller>> connect_link(const net::Url& url, LinkOptions options,
                                             TimePoint deadline);

/// The same over a connected socket.
Result<std::shared_ptr<Caller>> adopt_link(net::Fd socket, LinkOptions options, TimePoint deadline);

}  // namespace muster::client
