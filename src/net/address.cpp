#include "net/address.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <cstddef>
#include <cstring>
#include <fmt/format.h>
#include <ifaddrs.h>
#include <memory>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <set>
#include <sys/un.h>

#include "base/assert.hpp"
#include "net/fd.hpp"

namespace muster::net {
namespace {

const sockaddr_in& ipv4(const Address& address) {
  return reinterpret_cast<const sockaddr_in&>(address.storage);
}

const sockaddr_in6& ipv6(const Address& address) {
  return reinterpret_cast<const sockaddr_in6&>(address.storage);
}

/// "127.0.0.1", "fe80::1%eth0".
std::string host_text(const Address& address) {
  char text[INET6_ADDRSTRLEN] = "";
  if (address.family() == AF_INET) {
    ::inet_ntop(AF_INET, &ipv4(address).sin_addr, text, sizeof text);
    return text;
  }
  ::inet_ntop(AF_INET6, &ipv6(address).sin6_addr, text, sizeof text);
  const unsigned scope = ipv6(address).sin6_scope_id;
  char interface[IF_NAMESIZE] = "";
  if (scope == 0) return text;
  if (::if_indextoname(scope, interface) == nullptr) return fmt::format("{}%{}", text, scope);
  return fmt::format("{}%{}", text, interface);
}

std::uint16_t port_of(const Address& address) {
  return ntohs(address.family() == AF_INET ? ipv4(address).sin_port : ipv6(address).sin6_port);
}

/// Empty for a socket without a name; an abstract one, which is no file, begins with '@'.
std::string path_of(const Address& address) {
  const auto& name = reinterpret_cast<const sockaddr_un&>(address.storage);
  const std::size_t before = offsetof(sockaddr_un, sun_path);
  if (address.length <= before) return {};
  std::string path(name.sun_path, address.length - before);
  if (path.front() == '\0') return "@" + path.substr(1);
  return path.substr(0, path.find('\0'));
}

using GetName = int (*)(int, sockaddr*, socklen_t*);

Address name_of(int fd, GetName get_name) {
  Address address;
  address.length = sizeof address.storage;
  if (get_name(fd, reinterpret_cast<sockaddr*>(&address.storage), &address.length) != 0) {
    return {};
  }
  return address;
}

int option_of(int fd, int option) {
  int value = -1;
  socklen_t length = sizeof value;
  return ::getsockopt(fd, SOL_SOCKET, option, &value, &length) == 0 ? value : -1;
}

/// The address that this host would use to reach another one: connecting a datagram socket looks
/// the route up and sends nothing. The destinations are those reserved for documentation (RFC 5737,
/// RFC 3849).
std::string outward_host(int family) {
  Address far;
  far.storage.ss_family = static_cast<sa_family_t>(family);
  if (family == AF_INET) {
    auto& to = reinterpret_cast<sockaddr_in&>(far.storage);
    ::inet_pton(AF_INET, "192.0.2.1", &to.sin_addr);
    to.sin_port = htons(9);
    far.length = sizeof to;
  } else {
    auto& to = reinterpret_cast<sockaddr_in6&>(far.storage);
    ::inet_pton(AF_INET6, "2001:db8::1", &to.sin6_addr);
    to.sin6_port = htons(9);
    far.length = sizeof to;
  }
  const Fd probe(::socket(family, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (!probe || ::connect(probe.get(), far.get(), far.length) != 0) {
    return family == AF_INET ? "127.0.0.1" : "::1";
  }
  return host_text(name_of(probe.get(), ::getsockname));
}

bool is_wildcard(const Address& address) {
  if (address.family() == AF_INET) return ipv4(address).sin_addr.s_addr == htonl(INADDR_ANY);
  return IN6_IS_ADDR_UNSPECIFIED(&ipv6(address).sin6_addr);
}

std::string joined(const std::set<std::string>& items) {
  std::string line;
  for (const std::string& item : items) line += (line.empty() ? "" : ", ") + item;
  return line.empty() ? "none" : line;
}

}  // namespace

std::string Address::text() const {
  switch (family()) {
    case AF_INET:
      return fmt::format("{}:{}", host_text(*this), port_of(*this));
    case AF_INET6:
      return fmt::format("[{}]:{}", host_text(*this), port_of(*this));
    case AF_UNIX: {
      const std::string path = path_of(*this);
      return path.empty() ? "unix" : "unix:" + path;
    }
    default:
      return {};
  }
}

Address unix_address(std::string_view path) {
  MUSTER_ASSERT(path.size() <= unix_path_bytes_max);
  Address address;
  auto& name = reinterpret_cast<sockaddr_un&>(address.storage);
  name.sun_family = AF_UNIX;
  std::memcpy(name.sun_path, path.data(), path.size());
  address.length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + path.size() + 1);
  return address;
}

Result<Url> bound_url(int fd) {
  const auto refuse = [fd](const char* what) {
    return Error{.code = Code::invalid_argument,
                 .what = fmt::format("descriptor {} {}", fd, what),
                 .advice = "hand in a bound, listening stream socket (TCP or Unix)"};
  };
  const Address address = name_of(fd, ::getsockname);
  const int family = option_of(fd, SO_DOMAIN);
  if (option_of(fd, SO_TYPE) == -1) return refuse("is no socket");
  if (option_of(fd, SO_TYPE) != SOCK_STREAM) return refuse("is no stream socket");
  if (family != AF_INET && family != AF_INET6 && family != AF_UNIX) {
    return refuse("is neither a TCP nor a Unix socket");
  }
  if (option_of(fd, SO_ACCEPTCONN) != 1) return refuse("is a socket that does not listen");

  Url url;
  if (family == AF_UNIX) {
    url.scheme = Url::Scheme::unix_socket;
    url.path = path_of(address);
    if (!url.path.starts_with('/')) return refuse("is a Unix socket without an absolute path");
    return url;
  }
  url.scheme = family == AF_INET ? Url::Scheme::tcp : Url::Scheme::tcp6;
  url.host = is_wildcard(address) ? outward_host(family) : host_text(address);
  url.port = port_of(address);
  return url;
}

std::string local_text(int fd) {
  return name_of(fd, ::getsockname).text();
}

std::string remote_text(int fd) {
  return name_of(fd, ::getpeername).text();
}

void set_no_delay(int fd) {
  const int on = 1;
  ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

bool meets_itself(int fd) {
  const Address here = name_of(fd, ::getsockname);
  return here.family() != AF_UNIX && here.text() == name_of(fd, ::getpeername).text();
}

std::string interfaces_text() {
  const std::unique_ptr<struct if_nameindex, decltype(&::if_freenameindex)> all(
      ::if_nameindex(), &::if_freenameindex);
  std::set<std::string> names;
  for (const auto* one = all.get(); one != nullptr && one->if_index != 0; ++one) {
    names.insert(one->if_name);
  }
  return joined(names);
}

std::string addresses_text() {
  ifaddrs* list = nullptr;
  if (::getifaddrs(&list) != 0) return joined({});
  const std::unique_ptr<ifaddrs, decltype(&::freeifaddrs)> all(list, &::freeifaddrs);
  std::set<std::string> names;
  for (const ifaddrs* one = list; one != nullptr; one = one->ifa_next) {
    if (one->ifa_addr == nullptr) continue;
    const int family = one->ifa_addr->sa_family;
    if (family != AF_INET && family != AF_INET6) continue;
    Address address;
    address.length = family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6);
    std::memcpy(&address.storage, one->ifa_addr, address.length);
    names.insert(host_text(address));
  }
  return joined(names);
}

}  // namespace muster::net
