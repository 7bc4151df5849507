// One client's requests, however many they are and however much they make the server do, leave room
// for others'; and none is lost over it.
#include <gtest/gtest.h>
#include <sys/socket.h>

#include "server/driver/raw_peer.hpp"
#include "server/driver/server.hpp"
#include "wire/many_messages.hpp"
#include "wire/store_messages.hpp"

namespace muster::server {
namespace {

using namespace std::chrono_literals;

class Fairness : public testing::Test {
 protected:
  Fairness() {
    ServeOptions options;
    options.core.heartbeat = heartbeat;
    options.bind_by = soon();
    options.url = *net::Url::parse("tcp://127.0.0.1:0");
    options.core.job = "test";
    options.core.incarnation.number = 1;
    server_ = std::move(Server::start(std::move(options)).value());
  }
  Raw tool() {
    Raw peer = dial(server_->url());
    peer.say_hello(wire::Role::tool);
    return peer;
  }
  template <class Message>
  static void append(Value& out, wire::Type type, const Message& message) {
    const std::size_t begun = wire::begin_frame(out);
    encode(message, out);
    wire::end_frame(out, begun, type, 1 + static_cast<std::uint32_t>(begun));
  }
  /// The next frame that is no sign of life.
  static wire::FrameHeader answer(Raw& peer) {
    wire::FrameHeader header = peer.frame();
    while (header.type == wire::Type::beat) header = peer.frame();
    return header;
  }
  /// The answer to one request, in the mean time.
  template <class Message>
  static Value ask(Raw& peer, wire::Type type, const Message& message) {
    Value frame;
    append(frame, type, message);
    peer.send(frame);
    EXPECT_EQ(answer(peer).type, type);
    return peer.body;
  }

  /// So that no reader on a busy machine stands still for five of them.
  static constexpr Duration heartbeat = 400ms;
  std::unique_ptr<Server> server_;
};

TEST_F(Fairness, AClientThatMakesTheServerWorkDoesNotHoldUpAnother) {
  Raw noisy = tool();
  Raw quiet = tool();
  Value waits;
  constexpr int count = 30'000;
  for (int i = 0; i < count; ++i) {
    append(waits, wire::Type::wait, wire::WaitRequest{600'000, {"toggled", "never"}});
  }
  noisy.send(waits);
  Value toggles;
  for (int i = 0; i < 4000; ++i) {
    append(toggles, wire::Type::set, wire::SetRequest{"toggled", {}});
    append(toggles, wire::Type::remove, wire::RemoveRequest{"toggled"});
  }
  noisy.send(toggles);
  EXPECT_EQ(noisy.frame().type, wire::Type::set) << "it is at it";
  const TimePoint begun = Clock::now();
  for (int i = 0; i < 5; ++i) ask(quiet, wire::Type::add, wire::AddRequest{"n", 1});
  EXPECT_LT(Clock::now() - begun, 5s) << "all toggles take far longer";
}

TEST_F(Fairness, AllWhomOneSetWakesAreToldThoughNothingElseHappens) {
  Raw waits = tool();
  Value gets;
  constexpr int count = 50'000;
  for (int i = 0; i < count; ++i) append(gets, wire::Type::get, wire::GetRequest{"go", 600'000});
  append(gets, wire::Type::add, wire::AddRequest{"n", 1});
  waits.send(gets);
  ASSERT_EQ(waits.frame().type, wire::Type::add) << "all wait";
  Raw setter = tool();
  ask(setter, wire::Type::set, wire::SetRequest{"go", as_bytes("now")});
  ask(setter, wire::Type::remove, wire::RemoveRequest{"go"});
  for (int i = 0; i < count; ++i) {
    ASSERT_EQ(waits.frame().result, 0) << i;
    ASSERT_EQ(as_text(waits.body), "now") << i;
  }
}

TEST_F(Fairness, WhatWasSentBeforeTheEndIsDone) {
  Raw writer = tool();
  Value adds;
  constexpr int count = 20'000;
  for (int i = 0; i < count; ++i) append(adds, wire::Type::add, wire::AddRequest{"n", 1});
  writer.send(adds);
  ASSERT_EQ(::shutdown(writer.socket.get(), SHUT_WR), 0);
  writer.receive(std::size_t{count} * (wire::header_bytes + 8));
  EXPECT_TRUE(writer.closed());
  Raw reader = tool();
  const Value sum = ask(reader, wire::Type::add, wire::AddRequest{"n", 0});
  EXPECT_EQ(static_cast<int>(sum.at(0)) + 256 * static_cast<int>(sum.at(1)), count);
}

TEST_F(Fairness, AClientThatReadsLateGetsAllItsAnswers) {
  Raw late = tool();
  constexpr std::size_t bytes = 1U << 20;
  ask(late, wire::Type::set, wire::SetRequest{"big", Value(bytes, std::byte{7})});
  Value gets;
  constexpr int count = 100;
  for (int i = 0; i < count; ++i) append(gets, wire::Type::get, wire::GetRequest{"big", 0});
  late.send(gets);
  Raw other = tool();
  ask(other, wire::Type::add, wire::AddRequest{"n", 1});
  for (int i = 0; i < count; ++i) {
    ASSERT_EQ(late.frame().type, wire::Type::get) << i;
    ASSERT_EQ(late.body.size(), bytes) << i;
  }
  ask(late, wire::Type::add, wire::AddRequest{"n", 1});
}

TEST_F(Fairness, AClientThatReadsSlowlyIsNotTakenForSilent) {
  Raw slow = dial(server_->url());
  slow.say_hello(wire::Role::tool, wire::feature_beats);
  constexpr std::size_t bytes = 4U << 20;
  ask(slow, wire::Type::set, wire::SetRequest{"big", Value(bytes)});
  Value gets;
  constexpr int count = 20;
  for (int i = 0; i < count; ++i) append(gets, wire::Type::get, wire::GetRequest{"big", 0});
  slow.send(gets);
  // Longer than the server waits for a sign of life; its requests say nothing more meanwhile.
  const TimePoint until = Clock::now() + 2 * limits::silent_heartbeats_max * heartbeat;
  for (int answers = 0; answers < count; ++answers) {
    ASSERT_EQ(answer(slow).type, wire::Type::get) << answers;
    ASSERT_EQ(slow.body.size(), bytes) << answers;
    net::pause_until(Clock::now() + (until - Clock::now()) / (count - answers));
  }
}

}  // namespace
}  // namespace muster::server
