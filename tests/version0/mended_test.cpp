// Faults of the reference that showed on this wire, and what happens here instead.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>
#include <map>

#include <muster/job.hpp>

#include "base/limits.hpp"
#include "raw_client.hpp"
#include "wire/v0.hpp"

namespace muster::version0 {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using wire::AddRequest;
using wire::AppendRequest;
using wire::CompareSetRequest;
using wire::GetRequest;
using wire::RemoveRequest;
using wire::SetRequest;
using wire::v0::Operation;

constexpr std::uint32_t for_ever = std::numeric_limits<std::uint32_t>::max();

class Mended : public testing::Test {
 protected:
  /// Whether somebody else is served.
  void expect_served() {
    RawClient other(*server_);
    EXPECT_EQ(other.ask(SetRequest{"other", as_bytes("served")}).body, "success");
    EXPECT_EQ(value_of(other.ask(GetRequest{"other", 0})), "served");
  }

  std::unique_ptr<server::Server> server_ = serve();
};

TEST_F(Mended, AMuteConnectionBlocksNobody) {
  RawClient mute(*server_, false);
  expect_served();
  RawClient half(*server_, false);
  half.link().send(std::string("\xcc\x0a\0", 3));
  expect_served();
}

TEST_F(Mended, AHelloMayComeInPieces) {
  RawClient client(*server_, false);
  const Value hello = encode(wire::v0::Hello{.rank = 3});
  for (const std::byte byte : hello) {
    client.link().send(Bytes(&byte, 1));
    // Another one's round trip in between: the pieces do not meet on the way.
    expect_served();
  }
  EXPECT_EQ(client.link().receive(2), std::string(2, '\0'));
  EXPECT_EQ(client.ask(SetRequest{"k", as_bytes("v")}).result, 0);
}

TEST_F(Mended, RequestsBehindAHelloAreAnsweredBehindItsAnswer) {
  RawClient client(*server_, false);
  Value bytes = encode(wire::v0::Hello{});
  Value body;
  wire::v0::pack(SetRequest{"k", as_bytes("v")}, body);
  const std::string head = header(static_cast<std::uint32_t>(body.size()), 7);
  client.link().send(std::string(as_text(bytes)) + head + std::string(as_text(body)));
  EXPECT_EQ(client.link().receive(2), std::string(2, '\0'));
  EXPECT_EQ(client.receive(), (Answer{0, 7, "success"}));
}

TEST_F(Mended, AnotherMagicIsClosedWithoutAnAnswer) {
  RawClient client(*server_, false);
  client.link().send(encode(wire::v0::Hello{.magic = 0x1234}));
  EXPECT_EQ(client.link().receive(), "");
  EXPECT_TRUE(client.link().closed_within());
}

TEST_F(Mended, AServerThatDoesNotOfferItClosesWithoutAnAnswer) {
  const auto server = serve(false);
  RawClient client(*server, false);
  client.link().send(encode(wire::v0::Hello{}));
  EXPECT_EQ(client.link().receive(), "");
  EXPECT_TRUE(client.link().closed_within());
}

TEST_F(Mended, AHeaderWithoutItsBodyStallsNobody) {
  RawClient client(*server_);
  client.link().send(header(100, 1));
  expect_served();
  Value body;
  wire::v0::pack(GetRequest{"absent", 0}, body);
  body.resize(100);  // what is behind the packed body is ignored
  client.link().send(body);
  EXPECT_EQ(client.receive(), (Answer{-404, 1, "<not exist>"}));
}

TEST_F(Mended, APeerThatDoesNotReadStallsNobody) {
  RawClient writer(*server_);
  EXPECT_EQ(writer.ask(SetRequest{"large", Value(4U << 20)}).result, 0);
  RawClient deaf(*server_);
  for (std::uint32_t i = 0; i < 8; ++i) deaf.send(GetRequest{"large", 0}, i);
  expect_served();
  for (std::uint32_t i = 0; i < 8; ++i) EXPECT_EQ(deaf.receive().sequence, i) << "it reads at last";
}

TEST_F(Mended, AFrameOverTheLimitIsSkippedAndAnswered) {
  RawClient client(*server_);
  const std::size_t over = limits::v0_frame_body_bytes_max + 1;
  client.link().send(header(static_cast<std::uint32_t>(over), 5));
  client.link().send(std::string(over, '\xcc'));
  const Answer refused = client.receive();
  EXPECT_EQ(refused.result, -400);
  EXPECT_EQ(refused.sequence, 5U);
  EXPECT_THAT(refused.body, HasSubstr("10485761 bytes, at most 10485760"));
  EXPECT_EQ(client.ask(SetRequest{"k", as_bytes("in step")}).body, "success");
}

TEST_F(Mended, TheLargestFrameIsTaken) {
  RawClient client(*server_);
  const Value most(limits::v0_frame_body_bytes_max - limits::v0_body_bytes_min - 16 - 1);
  EXPECT_EQ(client.ask(SetRequest{"k", most}).body, "success");
  EXPECT_EQ(value_of(client.ask(GetRequest{"k", 0})).size(), most.size());
}

TEST_F(Mended, EveryRequestIsAnswered) {
  RawClient client(*server_);
  client.send_frame("", 1);
  Answer answer = client.receive();
  EXPECT_EQ(answer.result, -400);
  EXPECT_EQ(answer.sequence, 1U);
  Value body;
  wire::v0::pack(GetRequest{"k", 0}, body);
  for (const std::uint16_t type : {std::uint16_t{1}, std::uint16_t{47}, std::uint16_t{0xFFFF}}) {
    client.send_frame(as_text(body), type, type);
    answer = client.receive();
    EXPECT_EQ(answer.result, -400);
    EXPECT_EQ(answer.sequence, type);
    EXPECT_THAT(answer.body, HasSubstr("its type is " + std::to_string(type)));
  }
  body[16] = std::byte{6};
  client.send_frame(as_text(body), 2);
  EXPECT_EQ(client.receive(), (Answer{-400, 2, "invalid request message type"}));
  client.send_frame("nonsense", 3);
  EXPECT_EQ(client.receive(), (Answer{-400, 3, "invalid request"}));
  EXPECT_EQ(client.ask(GetRequest{"", 0}).result, -400) << "a key has 1 byte at least";
  EXPECT_EQ(client.ask(GetRequest{std::string(1025, 'k'), 0}).result, -400);
  EXPECT_EQ(client.ask(SetRequest{"k", as_bytes("still there")}).body, "success");
}

TEST_F(Mended, WhatIsNoHeaderEndsTheLink) {
  RawClient client(*server_);
  client.link().send("these sixteen bytes and more are no frame");
  EXPECT_TRUE(client.link().closed_within());
  expect_served();
}

TEST_F(Mended, AddToWhatIsNoNumberIsRefused) {
  RawClient client(*server_);
  EXPECT_EQ(client.ask(SetRequest{"k", as_bytes("word")}).result, 0);
  const Answer answer = client.ask(AddRequest{"k", 1});
  EXPECT_EQ(answer.result, -400);
  EXPECT_THAT(answer.body, HasSubstr("'word'"));
  EXPECT_EQ(value_of(client.ask(GetRequest{"k", 0})), "word");
}

TEST_F(Mended, AddBeyond64BitsIsRefusedInsteadOfWrapped) {
  RawClient client(*server_);
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(client.ask(AddRequest{"k", most}).body, std::to_string(most));
  EXPECT_EQ(client.ask(AddRequest{"k", 1}).result, -400);
  EXPECT_EQ(value_of(client.ask(GetRequest{"k", 0})), std::to_string(most));
}

TEST_F(Mended, WhoeverCreatesAKeyWakesItsWaitersWithItsValue) {
  RawClient waiter(*server_);
  RawClient creator(*server_);
  waiter.send(GetRequest{"appended", for_ever}, 1);
  waiter.send(GetRequest{"set", 60'000}, 2);
  waiter.send(GetRequest{"added", for_ever}, 3);
  waiter.send(GetRequest{"swapped", 0x80000000}, 4);
  EXPECT_EQ(waiter.ask(GetRequest{"absent", 0}).result, -404) << "waits block nothing";
  EXPECT_EQ(creator.ask(AppendRequest{"appended", as_bytes("hello")}).body, "5");
  EXPECT_EQ(value_of(waiter.receive()), "hello");
  EXPECT_EQ(creator.ask(SetRequest{"set", as_bytes("s")}).result, 0);
  EXPECT_EQ(value_of(waiter.receive()), "s");
  EXPECT_EQ(creator.ask(AddRequest{"added", -7}).result, 0);
  EXPECT_EQ(value_of(waiter.receive()), "-7");
  EXPECT_EQ(creator.ask(CompareSetRequest{"swapped", std::nullopt, as_bytes("c")}).result, 0);
  const Answer last = waiter.receive();
  EXPECT_EQ(last.sequence, 4U);
  EXPECT_EQ(value_of(last), "c");
}

TEST_F(Mended, ATimeBeyond31BitsWaitsToo) {
  RawClient waiter(*server_);
  const wire::v0::Body body{std::int64_t{1} << 31, Operation::get, {"k"}, {}};
  Value packed;
  wire::v0::pack(body, packed);
  waiter.send_frame(as_text(packed), 1);
  EXPECT_EQ(waiter.ask(SetRequest{"k", as_bytes("v")}).sequence, 1001U);
  EXPECT_EQ(value_of(waiter.receive()), "v");
}

TEST_F(Mended, TimeOutsComeInTheOrderOfTheirTimes) {
  RawClient client(*server_);
  const TimePoint begun = Clock::now();
  client.send(GetRequest{"a", 900}, 1);
  client.send(GetRequest{"b", 300}, 2);
  client.send(GetRequest{"c", 600}, 3);
  EXPECT_EQ(client.receive(), (Answer{-601, 2, "<timeout>"}));
  EXPECT_EQ(client.receive(), (Answer{-601, 3, "<timeout>"}));
  EXPECT_EQ(client.receive(), (Answer{-601, 1, "<timeout>"}));
  EXPECT_GE(Clock::now() - begun, 800ms);
  EXPECT_LT(Clock::now() - begun, 60s);
}

TEST_F(Mended, MoreThan48AnswersAtOnceAllCome) {
  RawClient client(*server_);
  constexpr std::uint32_t many = 500;
  for (std::uint32_t i = 0; i < many; ++i) client.send(AddRequest{"n", 1}, i);
  for (std::uint32_t i = 0; i < many; ++i) {
    ASSERT_EQ(client.receive(), (Answer{0, i, std::to_string(i + 1)}));
  }
}

TEST_F(Mended, AnEmptyExpectationMatchesAnAbsentKeyAndAnEmptyValue) {
  RawClient client(*server_);
  const auto swap = [&](std::string_view from, std::string_view to) {
    return value_of(client.ask(CompareSetRequest{"k", as_bytes(from), as_bytes(to)}),
                    Operation::compare_set);
  };
  EXPECT_EQ(swap("", ""), "");
  EXPECT_EQ(swap("", "v"), "") << "swapped the empty value";
  EXPECT_EQ(swap("", "w"), "v");
  EXPECT_EQ(value_of(client.ask(GetRequest{"k", 0})), "v");
  EXPECT_EQ(client.ask(RemoveRequest{"k"}).body, "success");
  EXPECT_EQ(client.ask(RemoveRequest{"k"}), (Answer{-404, 1006, "not exist"}));
}

TEST_F(Mended, AValueOverTheFrameIsRefusedByName) {
  const auto store = store_of(*server_);
  EXPECT_TRUE(store->set("k", Value(limits::v0_value_bytes_max + 1)));
  RawClient client(*server_);
  Answer answer = client.ask(GetRequest{"k", 0});
  EXPECT_EQ(answer.result, -400);
  EXPECT_THAT(answer.body, HasSubstr("10485719 bytes"));
  EXPECT_TRUE(store->set("k", Value(limits::v0_value_bytes_max)));
  answer = client.ask(GetRequest{"k", 0});
  EXPECT_EQ(answer.body.size(), limits::v0_frame_body_bytes_max);
}

TEST_F(Mended, AJobThatFailsSaysSoAndCloses) {
  RawClient waiter(*server_);
  RawClient idle(*server_);
  waiter.send(GetRequest{"k", for_ever}, 9);
  EXPECT_EQ(waiter.ask(GetRequest{"k", 0}).result, -404) << "the wait has begun";
  server_->doom(Failure{.code = Code::rank_missing, .reason = "rank 1 will not come"});
  EXPECT_EQ(waiter.receive(), (Answer{-1, 9, "rank 1 will not come"}));
  EXPECT_TRUE(waiter.link().closed_within());
  EXPECT_TRUE(idle.link().closed_within());
  RawClient late(*server_, false);
  late.link().send(encode(wire::v0::Hello{}));
  EXPECT_EQ(late.link().receive(), "");
  EXPECT_TRUE(late.link().closed_within());
}

TEST_F(Mended, AServerThatStopsSaysSoAndCloses) {
  RawClient waiter(*server_);
  waiter.send(GetRequest{"k", for_ever}, 9);
  EXPECT_EQ(waiter.ask(GetRequest{"k", 0}).result, -404) << "the wait has begun";
  server_->stop(10s);
  EXPECT_EQ(waiter.receive(), (Answer{-1, 9, "the server is stopping"}));
  EXPECT_TRUE(waiter.link().closed_within());
}

TEST_F(Mended, WhoGoesAwayHarmsNobody) {
  {
    RawClient gone(*server_);
    gone.send(GetRequest{"k", for_ever}, 1);
    gone.send(SetRequest{"left behind", as_bytes("stays")}, 2);
    EXPECT_EQ(gone.receive().sequence, 2U);
    gone.link().reset();
  }
  RawClient client(*server_);
  EXPECT_EQ(client.ask(SetRequest{"k", as_bytes("v")}).result, 0);
  EXPECT_EQ(value_of(client.ask(GetRequest{"left behind", 0})), "stays");
}

TEST(BesideAJob, ClientsOfVersion0UseTheSameTableAndAreNoRanks) {
  JoinOptions options;
  options.url = "tcp://127.0.0.1:0";
  options.rank = 0;
  options.size = 1;
  options.log = [](LogLevel, std::string_view) {};
  Job job = Job::join(std::move(options)).value();
  const auto old = connect_store(std::string(job.url()) + "?wire=0", Deadline::in(60s)).value();
  EXPECT_TRUE(old->set("from 0", as_bytes("a")));
  EXPECT_EQ(as_text(job.store().get("from 0").value()), "a");
  EXPECT_EQ(job.store().add("n", 5).value(), 5);
  EXPECT_EQ(old->add("n", 1).value(), 6);
  EXPECT_TRUE(job.world().barrier());
  EXPECT_EQ(job.status().value().rows.size(), 1U);
  const auto status = query_status(std::string(job.url()) + "?wire=0", Deadline::in(60s));
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, Code::invalid_argument);
  EXPECT_THAT(status.error().what, HasSubstr("wire=0 is for the store alone"));
  EXPECT_TRUE(job.leave());
}

}  // namespace
}  // namespace muster::version0
