/// \file
/// A connection that says whatever a test wants: what strangers do to a server's port.
#pragma once

#include <string>
#include <string_view>

#include <muster/bytes.hpp>

#include "support/process.hpp"

namespace muster::support {

/// Resource; movable.
class RawLink {
 public:
  /// Connects to `url`, within `patience`.
  explicit RawLink(const std::string& url);

  /// Sends all of it, unless the peer closes before.
  void send(Bytes bytes);
  void send(std::string_view text) { send(as_bytes(text)); }

  /// What comes until the peer closes or resets, or until there are `count` bytes.
  std::string receive(std::size_t count = std::string::npos, Duration bound = patience);
  /// Whether the peer closes or resets within `bound`, whatever it says before.
  bool closed_within(Duration bound = patience);

  void close() { fd_.reset(); }
  /// Closes with a reset instead of an end.
  void reset();
  /// As the peer calls it: "127.0.0.1:4711".
  std::string address() const;

 private:
  net::Fd fd_;
  bool peer_closed_ = false;
};

/// The first bytes of browsers and of TLS clients.
std::string http_get();
std::string tls_client_hello();

/// `count` bytes that are no protocol, the same every time for one seed.
std::string noise(std::size_t count, std::uint64_t seed);

}  // namespace muster::support
