#include "support/ports.hpp"

#include <cerrno>
#include <chrono>
#include <netinet/in.h>
#include <sys/socket.h>
#include <system_error>

#include "net/address.hpp"
#include "net/back_off.hpp"
#include "net/connect.hpp"

namespace muster::support {
namespace {

Port bound_port() {
  net::Fd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const int on = 1;
  ::setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  sockaddr_in any{};
  any.sin_family = AF_INET;
  any.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::bind(fd.get(), reinterpret_cast<const sockaddr*>(&any), sizeof any) != 0) {
    throw std::system_error(errno, std::generic_category(), "bind");
  }
  std::string url = "tcp://" + net::local_text(fd.get());
  return {std::move(fd), std::move(url)};
}

}  // namespace

Port closed_port() {
  return bound_port();
}

Port listening_port() {
  Port port = bound_port();
  if (::listen(port.socket.get(), SOMAXCONN) != 0) {
    throw std::system_error(errno, std::generic_category(), "listen");
  }
  return port;
}

FullPort black_hole() {
  FullPort full{.port = bound_port(), .queue = {}};
  ::listen(full.port.socket.get(), 0);
  const net::Url url = net::Url::parse(full.port.url).value();
  for (net::Fd& one : full.queue) {
    net::BackOff back_off(1);
    auto connected = net::connect(url, back_off, Clock::now() + std::chrono::milliseconds(100));
    if (!connected) return full;
    one = *std::move(connected);
  }
  throw std::runtime_error("the queue of a listener does not fill up");
}

}  // namespace muster::support
