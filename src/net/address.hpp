/// \file
/// Socket addresses: resolved, bound, shown.
#pragma once

#include <string>
#include <sys/socket.h>
#include <vector>

#include <muster/deadline.hpp>
#include <muster/result.hpp>

#include "net/fd.hpp"
#include "net/url.hpp"

namespace muster::net {

/// Value.
struct Address {
  sockaddr_storage storage{};
  socklen_t length = 0;

  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&storage); }
  int family() const { return storage.ss_family; }
  /// "127.0.0.1:4711", "[::1]:4711", "unix:/path", "unix".
  std::string text() const;
};

/// The addresses of `url`'s host, in the order to try them: at once for numbers and paths; names
/// are looked up in a thread of their own, again and again with a back-off while the name server
/// says "not yet" or nothing, until `deadline`. Errors: `unreachable` in phase resolve, with the
/// name and what the resolver said.
Result<std::vector<Address>> resolve(const Url& url, TimePoint deadline);

/// A non-blocking, close-on-exec socket that listens on exactly what `url` says (SO_REUSEADDR; a
/// stale Unix socket file that nobody listens on is replaced). Errors: `system` or
/// `invalid_argument`, with the address and what to do.
Result<Fd> listen(const Url& url, TimePoint deadline);

/// What `fd` is bound to, as a URL that a client can use; for a listening socket handed in by the
/// user it checks that it is a stream socket that listens, and says what it is otherwise.
Result<Url> bound_url(int fd);

/// The address of this end, or the other one, of a connected socket, as text; empty if it has none.
std::string local_text(int fd);
std::string remote_text(int fd);

}  // namespace muster::net
