#include "sockets.hpp"

#include <array>
#include <cstring>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "crew.hpp"

namespace muster::bench {
namespace {

const std::string tcp_prefix = "tcp://127.0.0.1:";
const std::string unix_prefix = "unix://";

sockaddr_in loopback(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  return address;
}

sockaddr_un at_path(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof(address.sun_path)) give_up("the socket's path is too long");
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  return address;
}

/// `call` is bind or connect.
template <class Call, class Address>
int with(Call call, int fd, const Address& address) {
  return call(fd, reinterpret_cast<const sockaddr*>(&address), sizeof(address));
}

}  // namespace

Listening listen_on(Transport transport, const std::string& folder) {
  const bool tcp = transport == Transport::tcp;
  const std::string path = folder + "/floor";
  unlink(path.c_str());
  const int fd = socket(tcp ? AF_INET : AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  const int bound = tcp ? with(bind, fd, loopback(0)) : with(bind, fd, at_path(path));
  if (bound != 0 || listen(fd, SOMAXCONN) != 0) give_up("nothing to listen on");
  if (!tcp) return {fd, unix_prefix + path};
  sockaddr_in got{};
  socklen_t length = sizeof(got);
  getsockname(fd, reinterpret_cast<sockaddr*>(&got), &length);
  return {fd, tcp_prefix + std::to_string(ntohs(got.sin_port))};
}

int connect_to(const std::string& address) {
  const bool tcp = address.starts_with(tcp_prefix);
  const int fd = socket(tcp ? AF_INET : AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const std::string at = address.substr((tcp ? tcp_prefix : unix_prefix).size());
  const int connected = tcp ? with(connect, fd, loopback(static_cast<std::uint16_t>(std::stoi(at))))
                            : with(connect, fd, at_path(at));
  if (fd < 0 || connected != 0) give_up("no connection to " + address);
  if (tcp) no_delay(fd);
  return fd;
}

void no_delay(int fd) {
  const int on = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
}

void send_all(int fd, Bytes bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) give_up("send failed");
    bytes = bytes.subspan(static_cast<std::size_t>(sent));
  }
}

void skip_bytes(int fd, std::size_t count) {
  std::array<std::byte, 4096> room;
  while (count > 0) {
    const ssize_t got = recv(fd, room.data(), std::min(room.size(), count), 0);
    if (got <= 0) give_up("a server hung up");
    count -= static_cast<std::size_t>(got);
  }
}

}  // namespace muster::bench
