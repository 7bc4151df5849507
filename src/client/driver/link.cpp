#include "client/driver/link.hpp"

#include <chrono>
#include <fmt/format.h>
#include <optional>

#include "base/fork.hpp"
#include "base/limits.hpp"
#include "base/random.hpp"
#include "client/core/handshake.hpp"
#include "client/core/version0_handshake.hpp"
#include "client/driver/hello_stream.hpp"
#include "client/driver/link_errors.hpp"
#include "client/driver/socket_caller.hpp"
#include "net/address.hpp"
#include "net/connect.hpp"
#include "net/wait.hpp"

namespace muster::client {
namespace {

constexpr std::chrono::milliseconds just_begun{100};

/// One handshake over a fresh connection. `unreachable` is worth another try, anything else is
/// final.
template <class Handshake>
Result<std::shared_ptr<Caller>> complete(Handshake handshake, net::Fd socket,
                                         const LinkOptions& options, TimePoint deadline) {
  using State = typename Handshake::State;
  HelloStream stream(std::move(socket), options.tls);
  const int fd = stream.fd();
  std::optional<OwnDescriptor> own(std::in_place, fd);
  Result<void> sent = stream.open(deadline);
  if (sent) sent = stream.send(handshake.hello(), deadline);
  for (;;) {
    if (!sent) return std::move(sent).error();
    const Result<Value> bytes = stream.receive(deadline);
    if (!bytes) return bytes.error();
    std::size_t used = 0;
    const State state = handshake.feed(*bytes, used);
    if (state == State::failed) {
      Error error = handshake.error();
      error.local = net::local_text(fd);
      error.remote = net::remote_text(fd);
      return error;
    }
    if constexpr (requires { handshake.answer(); }) {
      if (state == State::prove) sent = stream.send(handshake.answer(), deadline);
    }
    if (state != State::welcomed) continue;
    Session session = handshake.session();
    session.local = net::local_text(fd);
    session.remote = net::remote_text(fd);
    if (session.heartbeat > Duration{}) net::bound_delivery(fd, silence_max(session));
    session.operation_timeout = options.operation_timeout;
    auto link = SocketCaller::make(stream.take_socket(), stream.take_tls(), std::move(session),
                                   options.on_failure, Bytes(*bytes).subspan(used));
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
  hello.features |= wire::feature_seekers;
  if (options.watch && options.beats) hello.features |= wire::feature_beats;
  system_random().fill(hello.nonce);
  hello.left_ms = left_ms(Clock::now(), deadline);
  // The server itself ends this wait a little before the deadline, and says who is missing.
  if (hello.role == wire::Role::assigned) deadline += limits::answer_grace;
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
    const bool cut_off = error.code == Code::timeout && Clock::now() - connected < just_begun;
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
