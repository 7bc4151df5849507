/// \file
/// What stands between connections and the core when a job is served over TLS.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <muster/deadline.hpp>

#include "net/tls_context.hpp"
#include "server/core/core.hpp"
#include "server/driver/connection.hpp"
#include "server/driver/handshakes.hpp"

namespace muster::server {

/// Resource; the loop's thread. Does without TLS, then it does nothing.
class TlsFront {
 public:
  /// What it needs of its server.
  class Host {
   public:
    /// Null when it is gone, or closing.
    virtual Connection* connection(LinkId link) = 0;
    /// Of a peer, as the core is to see it. May close the connection.
    virtual void received(LinkId link, Bytes bytes) = 0;
    virtual void happened(const Event& event) = 0;
    /// The connection has something to write, when this turn of the loop is over.
    virtual void flush_later(LinkId link) = 0;
    /// Closes a stranger's connection once its alert is written.
    virtual void turn_away(LinkId link, std::string why) = 0;
    virtual void drop(LinkId link, const std::string& why) = 0;

   protected:
    ~Host() = default;
  };

  TlsFront(Host& host, std::shared_ptr<const net::TlsContext> context);

  bool used() const { return context_ != nullptr; }
  /// Whoever connects comes through this. `source`: its host.
  void shield(Connection& connection, std::string source) {
    connection.raise_shield(std::make_unique<Shield>(context_, std::move(source)));
  }
  /// Bytes have come over a connection with a shield. A peer that does not begin like TLS loses it,
  /// and is heard as it is: the core tells it what it lacks.
  void arrived(Connection& connection, Bytes bytes);
  /// The connection has gone, or will not go on.
  void gone(LinkId link) { handshakes_.over(link); }

  /// Once a turn of the loop: begins handshakes for which there is room.
  void go_on();
  std::optional<TimePoint> next_deadline() const { return handshakes_.next_deadline(); }
  /// next_deadline() has come.
  void expire(TimePoint now);

 private:
  void listen(Connection& connection, Bytes bytes);
  void unseal(Connection& connection, Bytes bytes);

  Host& host_;
  const std::shared_ptr<const net::TlsContext> context_;
  Handshakes handshakes_;
  std::vector<std::byte> slab_;  ///< for what one record holds
};

}  // namespace muster::server
