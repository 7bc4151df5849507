#include "support/bad_peer.hpp"

#include <array>
#include <poll.h>
#include <sys/socket.h>
#include <vector>

#include "net/fd.hpp"
#include "support/ports.hpp"

namespace muster::support {
namespace {

using Kind = BadPeer::Kind;

constexpr std::string_view web_page =
    "HTTP/1.1 400 Bad Request\r\nServer: test\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";

void send_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t sent = ::send(fd, text.data(), text.size(), MSG_NOSIGNAL);
    if (sent <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(sent));
  }
}

void greet(Kind kind, net::Fd& peer, std::string_view line) {
  if (kind == Kind::says) send_all(peer.get(), line);
  if (kind == Kind::closes) peer.reset();
  if (kind == Kind::resets) {
    const linger at_once{.l_onoff = 1, .l_linger = 0};
    ::setsockopt(peer.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    peer.reset();
  }
}

void answer(Kind kind, net::Fd& peer) {
  std::array<char, 4096> buffer;
  const ssize_t got = ::recv(peer.get(), buffer.data(), buffer.size(), 0);
  if (got <= 0) return peer.reset();
  if (kind == Kind::echo) send_all(peer.get(), {buffer.data(), static_cast<std::size_t>(got)});
  if (kind == Kind::web) {
    send_all(peer.get(), web_page);
    peer.reset();
  }
}

[[noreturn]] void misbehave(Kind kind, int listener, std::string_view line) {
  std::vector<net::Fd> peers;
  for (;;) {
    std::vector<pollfd> fds{{.fd = listener, .events = POLLIN, .revents = 0}};
    for (const net::Fd& peer : peers) {
      fds.push_back({.fd = peer.get(), .events = POLLIN, .revents = 0});
    }
    ::poll(fds.data(), fds.size(), -1);
    for (std::size_t i = 0; i < peers.size(); ++i) {
      if (fds[i + 1].revents != 0) answer(kind, peers[i]);
    }
    std::erase_if(peers, [](const net::Fd& peer) { return !peer; });
    if (fds[0].revents == 0) continue;
    net::Fd peer(::accept(listener, nullptr, nullptr));
    if (peer) greet(kind, peer, line);
    if (peer) peers.push_back(std::move(peer));
  }
}

}  // namespace

BadPeer::BadPeer(Kind kind, std::string_view line) {
  const Port port = listening_port();
  const int listener = port.socket.get();
  url_ = port.url;
  process_ = Process::fork([=]() -> int { misbehave(kind, listener, line); }, {listener});
}

}  // namespace muster::support
