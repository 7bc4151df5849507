/// \file
/// For tests: a peer of a server that speaks raw bytes.
#pragma once

#include <chrono>
#include <cstdint>
#include <gtest/gtest.h>
#include <poll.h>
#include <string>
#include <sys/socket.h>

#include <muster/bytes.hpp>
#include <muster/deadline.hpp>

#include "net/back_off.hpp"
#include "net/connect.hpp"
#include "net/fd.hpp"
#include "net/url.hpp"
#include "net/wait.hpp"
#include "wire/frame.hpp"
#include "wire/hello.hpp"

namespace muster::server {

/// When a test gives up.
inline TimePoint soon() {
  return Clock::now() + std::chrono::seconds{60};
}

/// A peer that speaks raw bytes.
class Raw {
 public:
  explicit Raw(net::Fd fd) : socket(std::move(fd)) {}

  void send(Bytes bytes) {
    while (!bytes.empty()) {
      net::wait_ready(socket.get(), POLLOUT, soon());
      const ssize_t sent = ::send(socket.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
      ASSERT_GT(sent, 0);
      bytes = bytes.subspan(static_cast<std::size_t>(sent));
    }
  }

  /// Exactly `count` bytes; fewer if the server closes.
  Value receive(std::size_t count) {
    Value bytes(count);
    std::size_t have = 0;
    while (have < count && net::wait_ready(socket.get(), POLLIN, soon()) != 0) {
      const ssize_t got = ::recv(socket.get(), bytes.data() + have, count - have, 0);
      if (got <= 0) break;
      have += static_cast<std::size_t>(got);
    }
    bytes.resize(have);
    return bytes;
  }

  /// The next frame's header and body.
  wire::FrameHeader frame() {
    wire::FrameHeader header;
    const Value head = receive(wire::header_bytes);
    EXPECT_EQ(head.size(), wire::header_bytes);
    EXPECT_TRUE(head.size() == wire::header_bytes && wire::get_header(head.data(), header));
    body = receive(header.length);
    return header;
  }

  void say_hello(wire::Role role = wire::Role::rank, std::uint32_t features = 0) {
    wire::ClientHello hello;
    hello.features = features;
    hello.role = role;
    hello.size = role == wire::Role::rank ? 1 : 0;
    hello.left_ms = 10'000;
    hello.host = "here";
    hello.pid = 1;
    if (role == wire::Role::rank) hello.ranks = {{.first = 0, .count = 1}};
    send(wire::encode(hello));
    const Value first = receive(8);
    const auto length =
        static_cast<std::size_t>(first.at(4)) + (static_cast<std::size_t>(first.at(5)) << 8);
    receive(length - first.size());
    EXPECT_EQ(frame().type, wire::Type::welcome);
  }

  bool closed() { return receive(1).empty(); }

  net::Fd socket;
  Value body;
};

inline Raw dial(const std::string& url) {
  net::BackOff back_off(1);
  auto fd = net::connect(*net::Url::parse(url), back_off, soon());
  EXPECT_TRUE(fd) << fd.error().text();
  return Raw(*std::move(fd));
}

}  // namespace muster::server
