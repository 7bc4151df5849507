#include "server/driver/connection.hpp"

#include <cerrno>
#include <sys/socket.h>

#include "base/assert.hpp"

namespace muster::server {

Connection::Connection(uv_loop_t* loop, net::Fd socket, LinkId id, const OnReady& on_ready)
    : socket_(std::move(socket)), id_(id), on_ready_(on_ready) {
  auto handle = std::make_unique<uv_poll_t>();
  const int made = uv_poll_init(loop, handle.get(), socket_.get());
  MUSTER_ASSERT(made == 0);
  poll_.reset(handle.release());
  poll_->data = this;
  want(UV_READABLE);
}

Connection::~Connection() {
  uv_poll_stop(poll_.get());
  poll_.reset();
}

void Connection::want(int events) {
  if (events == events_) return;
  events_ = events;
  uv_poll_start(poll_.get(), events, [](uv_poll_t* handle, int status, int ready) {
    auto& self = *static_cast<Connection*>(handle->data);
    // A socket in trouble is readable: the read then says what the trouble is.
    const bool readable = status < 0 || (ready & UV_READABLE) != 0;
    self.on_ready_(self, readable, (ready & UV_WRITABLE) != 0);
  });
}

ssize_t Connection::read(std::span<std::byte> slab) {
  return ::recv(socket_.get(), slab.data(), slab.size(), MSG_DONTWAIT);
}

bool Connection::flush() {
  Outbox::Slices slices;
  while (!outbox_.empty()) {
    msghdr message{};
    message.msg_iov = slices.data();
    message.msg_iovlen = outbox_.slices(slices);
    const ssize_t sent = ::sendmsg(socket_.get(), &message, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent >= 0) {
      outbox_.consume(static_cast<std::size_t>(sent));
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      break;
    } else if (errno != EINTR) {
      return false;
    }
  }
  const int reading = closing_ ? 0 : UV_READABLE;
  const int writing = outbox_.empty() ? 0 : UV_WRITABLE;
  want(reading | writing);
  return true;
}

void Connection::close_after_flush(TimePoint deadline) {
  closing_ = true;
  closing_deadline_ = deadline;
}

}  // namespace muster::server
