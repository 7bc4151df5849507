/// \file
/// From a URL's host to addresses.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <muster/deadline.hpp>
#include <muster/result.hpp>

#include "net/address.hpp"
#include "net/url.hpp"

namespace muster::net {

/// The addresses of `url`'s host, in the order to try them: at once for numbers and paths; names
/// are looked up in threads of their own, again and again with a back-off while the name server
/// says "not yet", "no such name" (a pod may be younger than its name) or nothing, until
/// `deadline`. A resolver that is silent for 300 ms is asked for IPv4 and for IPv6 by themselves:
/// many a name server answers for one of them only. Nothing is ever looked up in reverse.
///
/// This host's own name, if it leads to loopback alone (as /etc/hosts has it on many systems),
/// leads to the address that choose() takes first: it is what the name means to other hosts.
///
/// Errors: `unreachable` in phase resolve, with the name and what the resolver said;
/// `invalid_argument` for an interface that does not exist, with those that do. A look-up that does
/// not end is left behind: its thread ends when the resolver gives up, and touches nothing then.
Result<std::vector<Address>> resolve(const Url& url, TimePoint deadline);

/// Value. What one look-up found: addresses, or getaddrinfo's error number.
struct Lookup {
  int error = 0;
  std::vector<Address> found;
};

/// One blocking look-up of `name` and `port` in `family` (AF_UNSPEC: any).
using Resolver = std::function<Lookup(const std::string& name, std::uint16_t port, int family)>;

/// resolve() with another resolver than the system's, for names.
Result<std::vector<Address>> resolve(const Url& url, TimePoint deadline, const Resolver& resolver);

}  // namespace muster::net
