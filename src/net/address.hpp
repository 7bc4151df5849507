/// \file
/// Socket addresses, and what they look like to people.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <vector>

#include <muster/deadline.hpp>
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
  /// Of IPv4 and IPv6: "127.0.0.1", "fe80::1%eth0".
  std::string host() const;
  void set_port(std::uint16_t port);  ///< of IPv4 and IPv6
  bool is_loopback() const;           ///< 127.0.0.0/8, ::1
  bool is_link_local() const;         ///< 169.254.0.0/16, fe80::/10
  bool is_wildcard() const;           ///< 0.0.0.0, ::
};

/// The address of a Unix socket file. `path` is at most as long as Url::parse allows.
Address unix_address(std::string_view path);

/// What `fd` is bound to, as a URL that a client can use: a wildcard becomes the address that
/// choose() takes, so loopback only on a host that has nothing else. For a listening socket handed
/// in by the user it checks that it is a stream socket that listens; `invalid_argument` says what
/// it is otherwise.
Result<Url> bound_url(int fd);

/// The address of this end, or the other one, of a connected socket, as text; empty if it has none.
std::string local_text(int fd);
std::string remote_text(int fd);

/// Small messages leave at once. Does nothing to sockets other than TCP.
void set_no_delay(int fd);
/// What a TCP peer leaves unacknowledged for so long breaks the connection; otherwise the system
/// tries for a quarter of an hour. Does nothing to sockets other than TCP.
void bound_delivery(int fd, Duration time);

/// Whether a connected socket is its own peer: TCP's simultaneous open, from and to one port, which
/// befalls who connects to a port of the ephemeral range of this very host.
bool meets_itself(int fd);

}  // namespace muster::net
