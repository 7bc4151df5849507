#include "client/driver/hello_stream.hpp"

#include <algorithm>
#include <cerrno>
#include <poll.h>
#include <sys/socket.h>
#include <utility>

#include "client/driver/link_errors.hpp"
#include "net/wait.hpp"

namespace muster::client {
namespace {

using State = net::Tls::State;

constexpr std::size_t first_bytes_max = 16;

}  // namespace

HelloStream::HelloStream(net::Fd socket, std::shared_ptr<const net::TlsContext> context)
    : socket_(std::move(socket)) {
  if (context) tls_ = std::make_unique<net::Tls>(std::move(context));
}

Phase HelloStream::phase() const {
  return tls_ && tls_->state() == State::shaking ? Phase::tls : Phase::hello;
}

Error HelloStream::tls_failed() const {
  return client::tls_failed(socket_.get(), *tls_, first_);
}

Result<void> HelloStream::open(TimePoint deadline) {
  if (!tls_) return {};
  Room room;
  tls_->shake();
  for (;;) {
    // What ends the handshake leaves with the hello: one write, one read and one wake-up less.
    if (tls_->state() == State::open) return {};
    if (Result<void> sent = send_outgoing(deadline); !sent) return sent;
    const Result<Bytes> sealed = receive_raw(room, deadline);
    if (!sealed) return sealed.error();
    tls_->feed(*sealed);
    tls_->shake();
    // Nobody says anything before a client's hello, so that nothing is left to read.
  }
}

Result<void> HelloStream::send(Bytes bytes, TimePoint deadline) {
  if (!tls_) return send_raw(bytes, deadline);
  tls_->write(bytes);
  return send_outgoing(deadline);
}

Result<Value> HelloStream::receive(TimePoint deadline) {
  Room room;
  Value plain;
  while (plain.empty()) {
    const Result<Bytes> bytes = receive_raw(room, deadline);
    if (!bytes) return bytes.error();
    if (!tls_) return to_value(*bytes);
    tls_->feed(*bytes);
    Room opened;
    while (const std::size_t count = tls_->read(opened)) {
      plain.insert(plain.end(), opened.begin(),
                   opened.begin() + static_cast<std::ptrdiff_t>(count));
    }
    if (tls_->state() == State::failed) return tls_failed();
    if (tls_->state() == State::ended) break;
  }
  if (plain.empty()) return hello_broken(socket_.get(), phase(), "closed at the other end");
  return plain;
}

Result<void> HelloStream::send_outgoing(TimePoint deadline) {
  const Value sealed = std::exchange(tls_->outgoing(), {});
  Result<void> sent = send_raw(sealed, deadline);
  // An alert that is not taken any more is no news.
  return tls_->state() == State::failed ? tls_failed() : sent;
}

Result<void> HelloStream::send_raw(Bytes bytes, TimePoint deadline) {
  while (!bytes.empty()) {
    const ssize_t sent =
        ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent >= 0) {
      bytes = bytes.subspan(static_cast<std::size_t>(sent));
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      if (net::wait_ready(socket_.get(), POLLOUT, deadline) == 0) {
        return hello_silent(socket_.get(), phase(), Clock::now() - begun_);
      }
    } else if (errno != EINTR) {
      return hello_broken(socket_.get(), phase(), net::reason(errno));
    }
  }
  return {};
}

Result<Bytes> HelloStream::receive_raw(std::span<std::byte> room, TimePoint deadline) {
  const int fd = socket_.get();
  for (;;) {
    if (net::wait_ready(fd, POLLIN, deadline) == 0) {
      return hello_silent(fd, phase(), Clock::now() - begun_);
    }
    const ssize_t got = ::recv(fd, room.data(), room.size(), MSG_DONTWAIT);
    if (got == 0) return hello_broken(fd, phase(), "closed at the other end");
    if (got > 0) {
      const Bytes bytes = Bytes(room).first(static_cast<std::size_t>(got));
      if (first_.empty()) first_ = to_value(bytes.first(std::min(bytes.size(), first_bytes_max)));
      return bytes;
    }
    if (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR) continue;
    return hello_broken(fd, phase(), net::reason(errno));
  }
}

}  // namespace muster::client
