/// \file
/// Plain blocking sockets, to addresses as Muster writes them: "tcp://127.0.0.1:PORT",
/// "unix://PATH". What fails ends the benchmark.
#pragma once

#include <cstddef>
#include <string>

#include <muster/bytes.hpp>

#include "side.hpp"

namespace muster::bench {

/// Value. A listening socket, and what to connect to.
struct Listening {
  int fd = -1;
  std::string address;
};
Listening listen_on(Transport transport, const std::string& folder);
int connect_to(const std::string& address);
void no_delay(int fd);
void send_all(int fd, Bytes bytes);
/// Waits for so many bytes and drops them.
void skip_bytes(int fd, std::size_t count);

}  // namespace muster::bench
