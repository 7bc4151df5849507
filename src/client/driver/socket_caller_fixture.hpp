/// \file
/// For tests: a SocketCaller on one end of a pair of sockets, and its server's end by hand.
#pragma once

#include <future>
#include <gtest/gtest.h>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <utility>

#include "client/driver/socket_caller.hpp"
#include "net/fd.hpp"
#include "wire/frame.hpp"
#include "wire/notices.hpp"
#include "wire/prefix_messages.hpp"

namespace muster::client {

/// Long enough for anything that is to happen; nothing here waits for it when all is well.
inline TimePoint soon() {
  return Clock::now() + std::chrono::seconds{60};
}

/// The server's end of the link, by hand.
class Peer {
 public:
  explicit Peer(int fd) : socket_(fd) {}

  /// The next request's header; its body in `body`.
  wire::FrameHeader next() {
    std::byte head[wire::header_bytes];
    read_all({head, sizeof head});
    wire::FrameHeader header;
    EXPECT_TRUE(wire::get_header(head, header));
    body.resize(header.length);
    read_all(body);
    return header;
  }

  void answer(std::uint32_t sequence, std::string_view text) {
    send(wire::Type::get, sequence, as_bytes(text));
  }

  void send(wire::Type type, std::uint32_t sequence, Bytes bytes) {
    Value frame;
    const std::size_t begun = wire::begin_frame(frame);
    frame.insert(frame.end(), bytes.begin(), bytes.end());
    wire::end_frame(frame, begun, type, sequence);
    ASSERT_EQ(::send(socket_.get(), frame.data(), frame.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(frame.size()));
  }

  /// As much as the link takes before it is closed at the other end.
  void send_until_closed(wire::Type type, std::uint32_t sequence, Bytes bytes) {
    Value frame(wire::header_bytes);
    frame.insert(frame.end(), bytes.begin(), bytes.end());
    wire::end_frame(frame, 0, type, sequence);
    for (Bytes left = frame; !left.empty();) {
      const ssize_t sent = ::send(socket_.get(), left.data(), left.size(), MSG_NOSIGNAL);
      if (sent <= 0) return;
      left = left.subspan(static_cast<std::size_t>(sent));
    }
  }

  void doom(std::string reason) {
    Value failure;
    wire::encode(Failure{.code = Code::rank_lost, .reason = std::move(reason)}, failure);
    send(wire::Type::doomed, 0, failure);
  }

  void hang_up() { socket_.reset(); }

  Value body;

 private:
  void read_all(std::span<std::byte> into) {
    while (!into.empty()) {
      const ssize_t got = ::recv(socket_.get(), into.data(), into.size(), 0);
      ASSERT_GT(got, 0);
      into = into.subspan(static_cast<std::size_t>(got));
    }
  }

  net::Fd socket_;
};

class SocketCallerTest : public testing::Test {
 protected:
  SocketCallerTest() {
    int ends[2];
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    peer = std::make_unique<Peer>(ends[0]);
    Session session;
    session.server = {.rank = 0, .host = "node0", .pid = 42};
    link = SocketCaller::make(net::Fd(ends[1]), nullptr, session,
                              [this](const Failure& failure) { heard.set_value(failure); }, {});
  }

  Ticket start(std::string_view body = "?") {
    Value frame;
    const std::size_t begun = wire::begin_frame(frame);
    const Bytes bytes = as_bytes(body);
    frame.insert(frame.end(), bytes.begin(), bytes.end());
    wire::end_frame(frame, begun, wire::Type::get, 0);
    auto ticket = link->start(std::move(frame));
    EXPECT_TRUE(ticket);
    return ticket ? *ticket : 0;
  }

  Ticket start_watch(OnPush on_push) {
    auto ticket = link->start_watch(client::frame(wire::Type::watch, wire::WatchRequest{}),
                                    std::move(on_push));
    EXPECT_TRUE(ticket);
    return ticket ? *ticket : 0;
  }

  std::string answer(Ticket ticket, TimePoint deadline = soon()) {
    const auto reply = link->wait(ticket, deadline);
    return reply ? std::string(as_text(reply->body)) : name(reply.error().code);
  }

  std::unique_ptr<Peer> peer;
  std::shared_ptr<SocketCaller> link;
  std::promise<Failure> heard;
};

}  // namespace muster::client
