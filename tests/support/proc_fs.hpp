/// \file
/// What the kernel says of a process, from /proc.
#pragma once

#include <cstddef>
#include <string>
#include <sys/types.h>
#include <vector>

namespace muster::support {

/// Memory of its own, touched and not a file's: RssAnon.
std::size_t anonymous_bytes(pid_t pid);

/// Where it listens for TCP, sorted: "127.0.0.1:4711", "[::1]:4711".
std::vector<std::string> listening_addresses(pid_t pid);

/// How many descriptors it has open, how many of them are sockets; how many threads it has.
std::size_t open_descriptors(pid_t pid);
std::size_t open_sockets(pid_t pid);
std::size_t threads(pid_t pid);

/// Whether it comes to have no more descriptors and threads than that: a thread that has ended, or
/// one that was just looking at a link, takes a moment to let go.
bool comes_down_to(pid_t pid, std::size_t descriptors, std::size_t threads);

}  // namespace muster::support
