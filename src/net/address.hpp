/// \file
/// Socket addresses, and what they look like to people.
#pragma once

#include <string>
#include <string_view>
#include <sys/socket.h>
#include <vector>

#include <muster/result.hpp>

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

/// The address of a Unix socket file. `path` is at most as long as Url::parse allows.
Address unix_address(std::string_view path);

/// What `fd` is bound to, as a URL that a client can use: a wildcard becomes the address that this
/// host shows to the outside, or loopback if it has none. For a listening socket handed in by the
/// user it checks that it is a stream socket that listens; `invalid_argument` says what it is
/// otherwise.
Result<Url> bound_url(int fd);

/// The address of this end, or the other one, of a connected socket, as text; empty if it has none.
std::string local_text(int fd);
std::string remote_text(int fd);

/// Small messages leave at once. Does nothing to sockets other than TCP.
void set_no_delay(int fd);

/// Whether a connected socket is its own peer: TCP's simultaneous open, from and to one port, which
/// befalls who connects to a port of the ephemeral range of this very host.
bool meets_itself(int fd);

/// This host's interfaces ("eth0, lo") and numeric addresses ("127.0.0.1, ::1"), for errors.
std::string interfaces_text();
std::string addresses_text();

}  // namespace muster::net
