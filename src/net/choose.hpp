/// \file
/// Which of this host's addresses others should be told.
#pragma once

#include <muster/result.hpp>

#include "net/interface_spec.hpp"
#include "net/interfaces.hpp"

namespace muster::net {

/// Who has to reach the address.
enum class Reach {
  other_hosts,  ///< never loopback, unless the user names its interface
  this_host,    ///< loopback will do if there is nothing else
};

/// The best address, with port 0. An interface that `spec` names is good enough whatever it is, if
/// it is up; otherwise those that lead nowhere else (bridges and cables of containers and virtual
/// machines, by their usual names) are left out, unless the default route goes through one.
///
/// In this order: the place in `spec`'s list; what works beyond the link before what is link-local;
/// the default route's own address, IPv4 before IPv6; other addresses of its interface; others,
/// IPv4 before IPv6, in the order given.
///
/// Errors: `invalid_argument` if `spec` names what is not there, is down or has no such address;
/// `system` if nothing is left without one. Both list the interfaces.
Result<Address> choose(const std::vector<Interface>& all, const Route& route,
                       const InterfaceSpec& spec, Reach reach);

}  // namespace muster::net
