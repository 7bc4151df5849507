/// \file
/// A server with the store open to version 0, and clients of version 0 that say whatever a test
/// wants.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include <muster/bytes.hpp>
#include <muster/store.hpp>

#include "server/driver/server.hpp"
#include "support/raw_link.hpp"
#include "wire/v0_body.hpp"
#include "wire/v0_requests.hpp"

namespace muster::version0 {

/// Of a job of 2 ranks, on a port of 127.0.0.1.
std::unique_ptr<server::Server> serve(bool version0 = true);

/// The same table, as version 1 sees it.
std::unique_ptr<Store> store_of(const server::Server& server);

/// Value. An answer; `result` 1 if the server closed instead.
struct Answer {
  int result = 1;
  std::uint32_t sequence = 0;
  std::string body;

  bool operator==(const Answer&) const = default;
};

std::ostream& operator<<(std::ostream& out, const Answer& answer);

/// A frame's header.
std::string header(std::uint32_t body_bytes, std::uint32_t sequence, std::uint16_t type = 0);

/// Resource.
class RawClient {
 public:
  /// Connects, and is admitted unless `hello` is false.
  explicit RawClient(const server::Server& server, bool hello = true);

  support::RawLink& link() { return link_; }

  /// Sends a request, and does not wait for its answer.
  void send(const wire::v0::Request& request, std::uint32_t sequence);
  void send_frame(std::string_view body, std::uint32_t sequence, std::uint16_t type = 0);
  /// The next answer.
  Answer receive();
  Answer ask(const wire::v0::Request& request);

 private:
  support::RawLink link_;
  std::uint32_t last_sequence_ = 1000;
};

/// What stands in a packed answer.
std::string value_of(const Answer& answer,
                     wire::v0::Operation operation = wire::v0::Operation::get);

}  // namespace muster::version0
