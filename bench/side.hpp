/// \file
/// The two sides that are compared: Muster, and the least that kernel and sockets allow. What is
/// measured is written once, over this.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include <muster/bytes.hpp>

namespace muster::bench {

inline constexpr std::size_t payload_bytes = 64;
inline constexpr std::uint32_t in_flight_max = 16;

/// Resource. One rank's link to the server. Every call ends well or ends the process.
class Peer {
 public:
  virtual ~Peer() = default;
  /// Stores what get() asks for.
  virtual void set() = 0;
  virtual void get() = 0;
  /// `count` of them, at most in_flight_max, all asked before the first answer is waited for.
  virtual void get_many(std::uint32_t count) = 0;
  virtual void barrier() = 0;
  /// Payload_bytes a rank.
  virtual void allgather() = 0;
  /// A barrier that ends because a rank is lost.
  virtual void barrier_until_loss() = 0;
  /// Until all ranks have left.
  virtual void leave() = 0;
};

/// Value. Where a server listens.
enum class Transport : std::uint8_t { tcp, unix_socket };

/// Value. How links to Muster's server are protected.
enum class Protection : std::uint8_t { none, secret, tls };

class Side {
 public:
  virtual ~Side() = default;
  virtual const char* name() const = 0;
  virtual Protection protection() const { return Protection::none; }
  /// Listens for `size` ranks, calls `listening` with the address once, and serves until it is
  /// killed.
  virtual void serve(Transport transport, const std::string& folder, std::uint32_t size,
                     const std::function<void(const std::string&)>& listening) = 0;
  /// Returns when all ranks are connected, or just this one.
  virtual std::unique_ptr<Peer> connect(const std::string& address, std::uint32_t rank,
                                        std::uint32_t size) = 0;
  /// What a client without Muster's code says to join; it is released when released_bytes() have
  /// come.
  virtual Value hello(std::uint32_t rank, std::uint32_t size) = 0;
};

std::unique_ptr<Side> make_floor();
std::unique_ptr<Side> make_muster();
/// Without heartbeats.
std::unique_ptr<Side> make_still_muster();
std::unique_ptr<Side> make_muster_with_secret();
std::unique_ptr<Side> make_muster_over_tls();

}  // namespace muster::bench
