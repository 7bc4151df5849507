/// \file
/// This host's network interfaces and routes, read from the system.
#pragma once

#include <string>
#include <vector>

#include "net/address.hpp"

namespace muster::net {

/// Value. One address of one interface; an interface with none has one entry, whose address has
/// the family AF_UNSPEC.
struct Interface {
  std::string name;
  Address address;  ///< port 0
  bool up = false;
  bool loopback = false;
};

/// Value. The own addresses that connections along the default routes leave from; AF_UNSPEC where
/// there is no such route.
struct Route {
  Address ipv4;
  Address ipv6;
};

/// In the system's order. Empty if the system cannot say.
std::vector<Interface> interfaces();

/// Looks routes up and sends nothing.
Route default_route();

/// What errors list: "eth0 (10.0.0.5, fd00::5), eth1 (down), lo (127.0.0.1, ::1)".
std::string interfaces_text(const std::vector<Interface>& all);

}  // namespace muster::net
