#include "server/driver/connection.hpp"

#include <cerrno>
#include <sys/socket.h>

#include "base/limits.hpp"

namespace muster::server {

UvHandle<uv_poll_t> make_poll(uv_loop_t* loop, int fd, void* data, int& error) {
  auto handle = std::make_unique<uv_poll_t>();
  error = -uv_poll_init(loop, handle.get(), fd);
  if (error != 0) return nullptr;  // the loop has not seen it
  handle->data = data;
  return UvHandle<uv_poll_t>(handle.release());
}

std::unique_ptr<Connection> Connection::make(uv_loop_t* loop, net::Fd socket, LinkId id,
                                             const OnReady& on_ready, int& error) {
  UvHandle<uv_poll_t> poll = make_poll(loop, socket.get(), nullptr, error);
  if (!poll) return nullptr;
  return std::unique_ptr<Connection>(new Connection(  // taste: the constructor is private
      std::move(socket), id, on_ready, std::move(poll)));
}

Connection::Connection(net::Fd socket, LinkId id, const OnReady& on_ready, UvHandle<uv_poll_t> poll)
    : socket_(std::move(socket)), id_(id), on_ready_(on_ready), poll_(std::move(poll)) {
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

void Connection::end_after_held(std::string why) {
  if (!end_) end_ = std::move(why);
  want(0);
}

int Connection::flush() {
  if (end_) return 0;
  Outbox::Slices slices;
  while (!written()) {
    msghdr message{};
    message.msg_iov = slices.data();
    message.msg_iovlen = shield_ ? shield_->slices(outbox_, slices) : outbox_.slices(slices);
    const ssize_t sent = ::sendmsg(socket_.get(), &message, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent >= 0) {
      const auto count = static_cast<std::size_t>(sent);
      shield_ ? shield_->consume(count) : outbox_.consume(count);
      taken_bytes_ += static_cast<std::uint64_t>(sent);
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      break;
    } else if (errno != EINTR) {
      return errno;
    }
  }
  const int reading = closing_ || holds() ? 0 : UV_READABLE;
  const int writing = written() ? 0 : UV_WRITABLE;
  want(reading | writing);
  return 0;
}

bool Connection::deaf(TimePoint now) {
  const std::size_t waiting = outbox_.unwritten_bytes();
  const bool full = waiting > limits::unsent_bytes_max;
  if (!full && !stalled) {
    full_since_.reset();
    return false;
  }
  if (!full_since_ || taken_then_ != taken_bytes_) {
    full_since_ = now;
    taken_then_ = taken_bytes_;
  }
  const Duration patience = full ? limits::deaf_time_max : limits::stalled_time_max;
  return now - *full_since_ >= patience || waiting > limits::slow_bytes_max;
}

void Connection::close_after_flush(TimePoint deadline) {
  closing_ = true;
  closing_deadline_ = deadline;
}

}  // namespace muster::server
