/// \file
/// The suites' subjects over real sockets: a server on a thread, and links to it.
#pragma once

#include <cstdint>
#include <memory>

#include <muster/security.hpp>

#include "client/core/caller.hpp"
#include "server/driver/server.hpp"
#include "support/temp_dir.hpp"
#include "wire/hello.hpp"

namespace muster::conformance {

/// The last three are over TCP.
enum class Transport : std::uint8_t { in_process, tcp, unix_socket, secret, tls, certificates };

/// Resource; any number of threads. A job of `size` ranks, served until this ends.
class ServedJob {
 public:
  ServedJob(Transport transport, std::uint32_t size,
            server::OnLoss on_loss = server::OnLoss::fail_job);

  std::shared_ptr<client::Caller> link_rank(std::uint32_t rank);
  std::shared_ptr<client::Caller> link_tool();
  /// A link that speaks version 0; not in process.
  std::shared_ptr<client::Caller> link_version0();

 private:
  std::shared_ptr<client::Caller> link(wire::ClientHello hello);

  Transport transport_;
  Credentials credentials_;
  std::uint32_t size_;
  support::TempDir directory_;
  std::unique_ptr<server::Server> server_;
};

}  // namespace muster::conformance
