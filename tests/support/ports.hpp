/// \file
/// TCP ports without numbers: the system picks them, a socket keeps them.
#pragma once

#include <string>

#include "net/fd.hpp"

namespace muster::support {

/// Value. A socket on 127.0.0.1 and its address, "tcp://127.0.0.1:4711".
struct Port {
  net::Fd socket;
  std::string url;
};

/// Listens.
Port listening_port();

/// Bound, but nobody listens: who connects is refused. Kept from others, but a server may bind it.
Port closed_port();

/// Listens, but its queue is full and nobody empties it: who connects gets no answer at all.
/// `queue` is what fills it.
struct FullPort {
  Port port;
  net::Fd queue[8];
};
FullPort black_hole();

}  // namespace muster::support
