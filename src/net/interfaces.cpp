#include "net/interfaces.hpp"

#include <arpa/inet.h>
#include <cstring>
#include <fmt/format.h>
#include <ifaddrs.h>
#include <map>
#include <memory>
#include <net/if.h>
#include <netinet/in.h>

#include "net/fd.hpp"

namespace muster::net {
namespace {

Interface entry_of(const ifaddrs& one) {
  Interface entry{.name = one.ifa_name,
                  .address = {},
                  .up = (one.ifa_flags & IFF_UP) != 0,
                  .loopback = (one.ifa_flags & IFF_LOOPBACK) != 0};
  const int family = one.ifa_addr == nullptr ? AF_UNSPEC : one.ifa_addr->sa_family;
  if (family == AF_INET || family == AF_INET6) {
    entry.address.length = family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6);
    std::memcpy(&entry.address.storage, one.ifa_addr, entry.address.length);
  }
  return entry;
}

/// Connecting a datagram socket looks the route up and sends nothing. AF_UNSPEC without a route.
Address source_towards(const Address& far) {
  Address own;
  const Fd probe(::socket(far.family(), SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (!probe || ::connect(probe.get(), far.get(), far.length) != 0) return {};
  own.length = sizeof own.storage;
  auto* name = reinterpret_cast<sockaddr*>(&own.storage);
  return ::getsockname(probe.get(), name, &own.length) == 0 ? own : Address{};
}

}  // namespace

std::vector<Interface> interfaces() {
  ifaddrs* list = nullptr;
  if (::getifaddrs(&list) != 0) return {};
  const std::unique_ptr<ifaddrs, decltype(&::freeifaddrs)> all(list, &::freeifaddrs);
  std::vector<Interface> found;
  std::map<std::string, Interface> bare;
  for (const ifaddrs* one = list; one != nullptr; one = one->ifa_next) {
    Interface entry = entry_of(*one);
    if (entry.address.family() == AF_UNSPEC) {
      bare.emplace(entry.name, entry);
    } else {
      found.push_back(std::move(entry));
    }
  }
  for (const Interface& entry : found) bare.erase(entry.name);
  for (auto& [name, entry] : bare) found.push_back(std::move(entry));
  return found;
}

Route default_route() {
  // The destinations are reserved for documentation (RFC 5737, RFC 3849): nobody has a route of
  // their own for them.
  Address ipv4;
  auto& to4 = reinterpret_cast<sockaddr_in&>(ipv4.storage);
  to4.sin_family = AF_INET;
  to4.sin_port = htons(9);
  ::inet_pton(AF_INET, "198.51.100.1", &to4.sin_addr);
  ipv4.length = sizeof to4;
  Address ipv6;
  auto& to6 = reinterpret_cast<sockaddr_in6&>(ipv6.storage);
  to6.sin6_family = AF_INET6;
  to6.sin6_port = htons(9);
  ::inet_pton(AF_INET6, "2001:db8::1", &to6.sin6_addr);
  ipv6.length = sizeof to6;
  return {.ipv4 = source_towards(ipv4), .ipv6 = source_towards(ipv6)};
}

std::string interfaces_text(const std::vector<Interface>& all) {
  std::map<std::string, std::string> names;
  for (const Interface& entry : all) {
    std::string& inside = names[entry.name];
    if (!entry.up) {
      inside = "down";
    } else if (entry.address.family() != AF_UNSPEC) {
      inside += (inside.empty() ? "" : ", ") + entry.address.host();
    }
  }
  std::string line;
  for (const auto& [name, inside] : names) {
    line += fmt::format("{}{} ({})", line.empty() ? "" : ", ", name,
                        inside.empty() ? "no address" : inside);
  }
  return line.empty() ? "none" : line;
}

}  // namespace muster::net
