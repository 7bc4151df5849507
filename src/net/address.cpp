#include "net/address.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <fmt/format.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/un.h>

#include "base/assert.hpp"
#include "net/choose.hpp"

namespace muster::net {
namespace {

const sockaddr_in& ipv4(const Address& address) {
  return reinterpret_cast<const sockaddr_in&>(address.storage);
}

const sockaddr_in6& ipv6(const Address& address) {
  return reinterpret_cast<const sockaddr_in6&>(address.storage);
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

/// What stands for a wildcard of that family.
std::string outward_host(int family) {
  InterfaceSpec spec;
  spec.family = family;
  const Result<Address> chosen = choose(interfaces(), default_route(), spec, Reach::this_host);
  if (chosen) return chosen->host();
  return family == AF_INET ? "127.0.0.1" : "::1";
}

int option_of(int fd, int option) {
  int value = -1;
  socklen_t length = sizeof value;
  return ::getsockopt(fd, SOL_SOCKET, option, &value, &length) == 0 ? value : -1;
}

}  // namespace

std::string Address::host() const {
  char text[INET6_ADDRSTRLEN] = "";
  if (family() == AF_INET) {
    ::inet_ntop(AF_INET, &ipv4(*this).sin_addr, text, sizeof text);
    return text;
  }
  ::inet_ntop(AF_INET6, &ipv6(*this).sin6_addr, text, sizeof text);
  const unsigned scope = ipv6(*this).sin6_scope_id;
  char interface[IF_NAMESIZE] = "";
  if (scope == 0) return text;
  if (::if_indextoname(scope, interface) == nullptr) return fmt::format("{}%{}", text, scope);
  return fmt::format("{}%{}", text, interface);
}

void Address::set_port(std::uint16_t port) {
  // Both kinds have it at the same place.
  static_assert(offsetof(sockaddr_in, sin_port) == offsetof(sockaddr_in6, sin6_port));
  MUSTER_ASSERT(family() == AF_INET || family() == AF_INET6);
  reinterpret_cast<sockaddr_in&>(storage).sin_port = htons(port);
}

bool Address::is_loopback() const {
  if (family() == AF_INET) return ntohl(ipv4(*this).sin_addr.s_addr) >> 24 == 127;
  return family() == AF_INET6 && IN6_IS_ADDR_LOOPBACK(&ipv6(*this).sin6_addr);
}

bool Address::is_link_local() const {
  if (family() == AF_INET) return ntohl(ipv4(*this).sin_addr.s_addr) >> 16 == 0xa9fe;
  return family() == AF_INET6 && IN6_IS_ADDR_LINKLOCAL(&ipv6(*this).sin6_addr);
}

bool Address::is_wildcard() const {
  if (family() == AF_INET) return ipv4(*this).sin_addr.s_addr == htonl(INADDR_ANY);
  return family() == AF_INET6 && IN6_IS_ADDR_UNSPECIFIED(&ipv6(*this).sin6_addr);
}

std::string Address::text() const {
  switch (family()) {
    case AF_INET:
      return fmt::format("{}:{}", host(), port_of(*this));
    case AF_INET6:
      return fmt::format("[{}]:{}", host(), port_of(*this));
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
  url.host = address.is_wildcard() ? outward_host(family) : address.host();
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

void bound_delivery(int fd, Duration time) {
  const auto ms = std::chrono::ceil<std::chrono::milliseconds>(time).count();
  const auto most = static_cast<unsigned>(std::min<std::int64_t>(ms, 0x7fffffff));
  ::setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &most, sizeof most);
}

bool meets_itself(int fd) {
  const Address here = name_of(fd, ::getsockname);
  return here.family() != AF_UNIX && here.text() == name_of(fd, ::getpeername).text();
}

}  // namespace muster::net
