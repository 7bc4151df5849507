#include "support/raw_link.hpp"

#include <algorithm>
#include <cerrno>
#include <poll.h>
#include <sys/socket.h>

#include "base/random.hpp"
#include "net/address.hpp"
#include "net/connect.hpp"
#include "net/wait.hpp"

namespace muster::support {

RawLink::RawLink(const std::string& url) {
  net::BackOff back_off(1);
  fd_ = net::connect(net::Url::parse(url).value(), back_off, Clock::now() + patience).value();
}

void RawLink::send(Bytes bytes) {
  const TimePoint deadline = Clock::now() + patience;
  while (!bytes.empty() && net::wait_ready(fd_.get(), POLLOUT, deadline)) {
    const ssize_t sent = ::send(fd_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno != EAGAIN && errno != EINTR) return;
    if (sent > 0) bytes = bytes.subspan(static_cast<std::size_t>(sent));
  }
}

std::string RawLink::receive(std::size_t count, Duration bound) {
  const TimePoint deadline = Clock::now() + bound;
  std::string text;
  char buffer[4096];
  while (text.size() < count && net::wait_ready(fd_.get(), POLLIN, deadline)) {
    const ssize_t got = ::recv(fd_.get(), buffer, std::min(sizeof buffer, count - text.size()), 0);
    if (got > 0) {
      text.append(buffer, static_cast<std::size_t>(got));
    } else if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
      peer_closed_ = true;
      break;
    }
  }
  return text;
}

bool RawLink::closed_within(Duration bound) {
  receive(std::string::npos, bound);
  return peer_closed_;
}

void RawLink::reset() {
  const linger at_once{.l_onoff = 1, .l_linger = 0};
  ::setsockopt(fd_.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  fd_.reset();
}

std::string RawLink::address() const {
  return net::local_text(fd_.get());
}

std::string http_get() {
  return "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nUser-Agent: test\r\nAccept: */*\r\n\r\n";
}

std::string tls_client_hello() {
  // A record of a handshake with a hello of version 1.2 (RFC 8446, section 4.1.2): random, no
  // session, one cipher suite, no compression.
  std::string hello = {0x16, 0x03, 0x01, 0x00, 0x2D, 0x01, 0x00, 0x00, 0x29, 0x03, 0x03};
  hello += noise(32, 1);
  hello += {std::string("\x00\x00\x02\x13\x01\x01\x00", 7)};
  return hello;
}

std::string noise(std::size_t count, std::uint64_t seed) {
  std::string bytes(count, '\0');
  SeededRandom random(seed);
  random.fill(std::as_writable_bytes(std::span(bytes)));
  return bytes;
}

}  // namespace muster::support
