#include "client/driver/link.hpp"

#include <array>
#include <cerrno>
#include <fmt/format.h>
#include <optional>
#include <poll.h>
#include <sys/socket.h>

#include "base/fork.hpp"
#include "base/limits.hpp"
#include "base/random.hpp"
#include "client/core/handshake.hpp"
#include "client/core/version0_handshake.hpp"
#include "client/driver/link_errors.hpp"
#include "client/driver/socket_caller.hpp"
#include "net/address.hpp"
#include "net/connect.hpp"
#include "net/wait.hpp"

namespace muster::client {
namespace {

/// Writes all of `bytes`; a hello is small, so that a connection that works takes it.
bool send_all(int fd, Bytes bytes, TimePoint deadline) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent >= 0) {
      bytes = bytes.subspan(static_cast<std::size_t>(sent));
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      if (!net::wait_ready(fd, POLLOUT, deadline)) return false;
    } else if (errno != EINTR) {
      return false;
    }
  }
  return true;
}

/// One handshake over a fresh connection. `unreachable` is worth another try, anything else is
/// final.
template <class Handshake>
Result<std::shared_ptr<Caller>> complete(Handshake handshake, net::Fd socket,
                                         const LinkOptions& options, TimePoint deadline) {
  using State = typename Handshake::State;
  const TimePoint begun = Clock::now();
  const int fd = socket.get();
  std::optional<OwnDescriptor> own(std::in_place, fd);
  if (!send_all(fd, handshake.hello(), deadline)) {
    return hello_broken(fd, net::reason(errno));
  }
  std::array<std::byte, 4096> buffer;
  for (;;) {
    if (!net::wait_ready(fd, POLLIN, deadline)) return hello_silent(fd, Clock::now() - begun);
    const ssize_t got = ::recv(fd, buffer.data(), buffer.size(), MSG_DONTWAIT);
    if (got == 0) return hello_broken(fd, "closed at the other end");
    if (got < 0) {
      if (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR) continue;
      return hello_broken(fd, net::reason(errno));
    }
    const Bytes bytes{buffer.data(), static_cast<std::size_t>(got)};
    std::size_t used = 0;
    const State state = handshake.feed(bytes, used);
    if (state == State::failed) {
      Error error = handshake.error();
      error.local = net::local_text(fd);
      error.remote = net::remote_text(fd);
      return error;
    }
    if constexpr (requires { handshake.answer(); }) {
      if (state == State::prove && !send_all(fd, handshake.answer(), deadline)) {
        return hello_broken(fd, net::reason(errno));
      }
    }
    if (state != State::welcomed) continue;
    Session session = handshake.session();
    session.local = net::local_text(fd);
    session.remote = net::remote_text(fd);
    session.operation_timeout = options.operation_timeout;
    auto link = SocketCaller::make(std::move(socket), std::move(session), options.on_failure,
                                   bytes.subspan(used));
    own.reset();  // it is the link's now
    if (options.watch) {
      if (Result<void> watched = SocketCaller::watch(link); !watched) {
        return std::move(watched).error();
      }
    }
    return std::shared_ptr<Caller>(std::move(link));
  }
}

Result<std::shared_ptr<Caller>> shake_hands(net::Fd socket, const LinkOptions& options,
                                            TimePoint deadline) {
  wire::ClientHello hello = options.hello;
  system_random().fill(hello.nonce);
  hello.left_ms = left_ms(Clock::now(), deadline);
  // The server itself ends this wait a little before the deadline, and says who is missing.
  if (hello.role == wire::Role::assigned) deadline += limits::verdict_grace;
  return complete(Handshake(std::move(hello), options.secret), std::move(socket), options,
                  deadline);
}

/// Version 0 says nothing when it turns somebody away.
Result<std::shared_ptr<Caller>> shake_hands_version0(net::Fd socket, const LinkOptions& options,
                                                     TimePoint deadline) {
  auto link = complete(Version0Handshake({}), std::move(socket), options, deadline);
  if (link) {
    (*link)->forget(muster_ticket);  // nobody says when all ranks are in
    return link;
  }
  Error error = std::move(link).error();
  if (error.code == Code::unreachable) {
    error.advice =
        "check that a server which speaks version 0 to everybody listens there: one that "
        "does not closes without a word";
  }
  return error;
}

}  // namespace

Result<std::shared_ptr<Caller>> connect_link(const net::Url& url, LinkOptions options,
                                             TimePoint deadline) {
  const TimePoint begun = Clock::now();
  net::BackOff back_off(options.hello.size);
  std::optional<Error> before;
  for (unsigned tries = 1;; ++tries) {
    Result<net::Fd> socket = net::connect(url, back_off, deadline);
    if (!socket) {
      Error error = std::move(socket).error();
      if (before) error.what += "; before that: " + before->what;
      return error;
    }
    const TimePoint connected = Clock::now();
    auto link = url.version0 ? shake_hands_version0(*std::move(socket), options, deadline)
                             : shake_hands(*std::move(socket), options, deadline);
    if (link) return link;
    Error error = std::move(link).error();
    // Cut off by the deadline when it had just begun, an attempt says less than the one before it.
    const bool cut_off =
        error.code == Code::timeout && Clock::now() - connected < limits::verdict_grace;
    if (cut_off && before) error = *std::move(before);
    error.elapsed = Clock::now() - begun;
    if (error.remote.empty()) error.remote = url.text();
    const TimePoint again = Clock::now() + back_off.next(system_random());
    if (error.code != Code::unreachable || again >= deadline) {
      if (tries > 1) error.what += fmt::format(" (tried {} times)", tries);
      return error;
    }
    before = std::move(error);
    net::pause_until(again);
  }
}

Result<std::shared_ptr<Caller>> adopt_link(net::Fd socket, LinkOptions options,
                                           TimePoint deadline) {
  return shake_hands(std::move(socket), options, deadline);
}

}  // namespace muster::client
