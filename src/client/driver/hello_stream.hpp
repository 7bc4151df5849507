/// \file
/// A fresh connection while hands are shaken over it, in the clear or through TLS.
#pragma once

#include <array>
#include <memory>
#include <span>

#include <muster/bytes.hpp>
#include <muster/deadline.hpp>
#include <muster/result.hpp>

#include "net/fd.hpp"
#include "net/tls.hpp"

namespace muster::client {

/// Resource; one thread. Errors say how far it got: `unreachable` if the link broke, which is worth
/// another try; `timeout`; of TLS `refused` if one side does not accept the other, `protocol` if
/// the peer does not speak it or somebody meddles.
class HelloStream {
 public:
  /// Null `context`: in the clear.
  HelloStream(net::Fd socket, std::shared_ptr<const net::TlsContext> context);

  int fd() const { return socket_.get(); }
  /// TLS's own handshake; nothing without it. First, and once; send() is to follow.
  Result<void> open(TimePoint deadline);
  /// All of it: a hello is small, so that a connection that works takes it.
  Result<void> send(Bytes bytes, TimePoint deadline);
  /// Some bytes, not none.
  Result<Value> receive(TimePoint deadline);

  /// Then nothing more is to be done with this.
  net::Fd take_socket() { return std::move(socket_); }
  std::unique_ptr<net::Tls> take_tls() { return std::move(tls_); }

 private:
  using Room = std::array<std::byte, 4096>;
  Phase phase() const;
  Result<void> send_raw(Bytes bytes, TimePoint deadline);
  Result<Bytes> receive_raw(std::span<std::byte> room, TimePoint deadline);
  Result<void> send_outgoing(TimePoint deadline);
  Error tls_failed() const;

  const TimePoint begun_ = Clock::now();
  net::Fd socket_;
  std::unique_ptr<net::Tls> tls_;
  Value first_;  ///< what a peer began with, as far as it is of interest
};

}  // namespace muster::client
