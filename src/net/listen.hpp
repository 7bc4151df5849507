/// \file
/// Listening on what was asked for, and on nothing else.
#pragma once

#include <muster/deadline.hpp>
#include <muster/port_range.hpp>
#include <muster/result.hpp>

#include "net/fd.hpp"
#include "net/url.hpp"

namespace muster::net {

/// A non-blocking, close-on-exec socket that listens on exactly what `url` says, never on the
/// wildcard unless that is what it says. Of a name's addresses it is the first that is this host's.
/// TCP: SO_REUSEADDR, and IPv6 alone for tcp6. Unix: a socket file that nobody listens on is
/// replaced; one that is alive, or a file that is no socket, is an error.
///
/// Errors: `system` or `unreachable` (the name), with the address and what to do. `deadline` bounds
/// looking up a name and waiting for another process that binds in the same directory.
Result<Fd> listen(const Url& url, TimePoint deadline);

/// The same of TCP, at the last of `ports` that is free, whatever port `url` says: 1 or more, the
/// first not above the last. The error, when none is, says which were tried.
Result<Fd> listen(const Url& url, PortRange ports, TimePoint deadline);

/// Removes the file of a listening Unix socket; nothing for other sockets. To be called before the
/// socket is closed: as long as it listens nobody else can have taken the path.
void remove_socket_file(int fd);

}  // namespace muster::net
