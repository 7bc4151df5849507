/// \file
/// An attacker on the way: sees every byte between a client and a server, and passes on what it
/// likes.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include <muster/bytes.hpp>

#include "net/fd.hpp"

namespace muster::security_test {

enum class Way : std::uint8_t { to_server, to_client };

/// Resource. Listens on a port of its own, and connects to the server for each who comes.
class Middleman {
 public:
  /// The TLS records of what one read has brought, or all of it if it is no TLS; returns what is
  /// sent instead. `number` counts them, from 0, for each way of each connection.
  using Meddle = std::function<Value(Way way, std::size_t number, Value record)>;

  Middleman(const std::string& server_url, Meddle meddle);
  ~Middleman();
  Middleman(const Middleman&) = delete;

  const std::string& url() const { return url_; }

 private:
  void run();
  void serve(net::Fd client);
  bool pass(int from, int to, Way way, Value& held, std::size_t& number);

  std::string server_url_;
  Meddle meddle_;
  net::Fd listener_;
  std::string url_;
  std::atomic<bool> over_{false};
  std::vector<std::thread> connections_;
  std::thread thread_;
};

}  // namespace muster::security_test
