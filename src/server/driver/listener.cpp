#include "server/driver/listener.hpp"

#include <cerrno>
#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

#include "net/address.hpp"
#include "net/listen.hpp"
#include "net/wait.hpp"
#include "server/driver/timer.hpp"

namespace muster::server {
namespace {

/// Of one turn of the loop. Who has come is heard before more come in: otherwise those who have
/// said their hello would count as silent strangers until the last has come.
constexpr int accepts_max = 64;
constexpr auto accept_pause = std::chrono::milliseconds{100};

}  // namespace

Result<void> Listener::open(uv_loop_t* loop, net::Fd given, const net::Url& url,
                            TimePoint bind_by) {
  socket_ = std::move(given);
  if (!socket_) {
    Result<net::Fd> bound = net::listen(url, bind_by);
    if (!bound) return std::move(bound).error();
    socket_ = *std::move(bound);
    bound_here_ = true;
  }
  own_.emplace(socket_.get());
  Result<net::Url> where = net::bound_url(socket_.get());
  if (!where) return std::move(where).error();
  url_ = where->text();
  again_ = make_timer(loop, this);
  int error = 0;
  poll_ = make_poll(loop, socket_.get(), this, error);
  if (!poll_) {
    return Error{
        .code = Code::system,
        .phase = Phase::local,
        .what = fmt::format("cannot watch for connections on {}: {}", url_, net::reason(error))};
  }
  listen_on();
  return {};
}

void Listener::close() {
  again_.reset();
  poll_.reset();
  if (socket_ && bound_here_) net::remove_socket_file(socket_.get());
  own_.reset();
  socket_.reset();
}

void Listener::go_on() {
  if (!poll_) return;
  uv_timer_stop(again_.get());
  listen_on();
}

void Listener::listen_on() {
  uv_poll_start(poll_.get(), UV_READABLE, [](uv_poll_t* handle, int, int) {
    static_cast<Listener*>(handle->data)->accept_some();
  });
}

void Listener::accept_some() {
  for (int i = 0; i < accepts_max; ++i) {
    net::Address peer;
    peer.length = sizeof peer.storage;
    net::Fd socket(::accept4(socket_.get(), reinterpret_cast<sockaddr*>(&peer.storage),
                             &peer.length, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!socket) {
      if (errno == EINTR || errno == ECONNABORTED) continue;
      // Whoever came in just now is heard first: it may be the last one to go.
      if (errno != EAGAIN && errno != EWOULDBLOCK && i == 0) pause(errno);
      return;
    }
    if (!allowed(socket.get())) continue;
    net::set_no_delay(socket.get());
    on_accepted_(std::move(socket), peer.text());
  }
}

/// Out of descriptors: the socket stays readable, so going on at once would be a spin.
void Listener::pause(int error) {
  on_refused_(error);
  uv_poll_stop(poll_.get());
  start_timer(
      again_.get(), [](uv_timer_t* timer) { static_cast<Listener*>(timer->data)->listen_on(); },
      accept_pause);
}

bool Listener::allowed(int fd) const {
  if (!same_user_only_) return true;
  ucred peer{};
  socklen_t length = sizeof peer;
  if (::getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &length) != 0) return false;
  return peer.uid == ::geteuid() || peer.uid == 0;
}

}  // namespace muster::server
