#include "server/core/core.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/limits.hpp"
#include "server/core/core_fixture.hpp"
#include "wire/status_messages.hpp"

namespace muster::server {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

Value joined(std::initializer_list<Value> parts) {
  Value whole;
  for (const Value& part : parts) whole.insert(whole.end(), part.begin(), part.end());
  return whole;
}

TEST(Core, HelloAndRequestsMayComeTogether) {
  CoreFixture fixture({});
  fixture.step(Opened{1, "unix"});
  const Value bytes = joined({CoreFixture::hello_of(0, 1),
                              make_frame(wire::Type::set, 1, wire::SetRequest{"k", as_bytes("v")}),
                              make_frame(wire::Type::get, 2, wire::GetRequest{"k", 0}),
                              make_frame(wire::Type::add, 3, wire::AddRequest{"n", 4})});
  const auto frames = fixture.step(Received{1, bytes});
  ASSERT_EQ(frames.size(), 5U);
  EXPECT_EQ(frames[0].type, wire::Type::welcome);
  EXPECT_EQ(frames[1].type, wire::Type::mustered);
  EXPECT_EQ(frames[3].body, to_value("v"));
}

TEST(Core, TheSameBytesInAnyPiecesGiveTheSameAnswers) {
  const Value bytes =
      joined({CoreFixture::hello_of(0, 1),
              make_frame(wire::Type::set, 1, wire::SetRequest{"k", Value(9000, std::byte{'v'})}),
              make_frame(wire::Type::get, 2, wire::GetRequest{"k", 0}),
              make_frame(wire::Type::status, 3, wire::StatusRequest{})});
  std::vector<Seen> whole;
  for (const std::size_t piece :
       {bytes.size(), std::size_t{1}, std::size_t{7}, std::size_t{4096}}) {
    CoreFixture fixture({});
    fixture.step(Opened{1, "unix"});
    std::vector<Seen> seen;
    for (std::size_t at = 0; at < bytes.size(); at += piece) {
      const Bytes part = Bytes(bytes).subspan(at, std::min(piece, bytes.size() - at));
      for (Seen& frame : fixture.step(Received{1, part})) seen.push_back(std::move(frame));
    }
    if (whole.empty()) whole = seen;
    EXPECT_EQ(seen, whole) << piece;
  }
  EXPECT_EQ(whole.size(), 5U);
}

TEST(Core, AnswersOfOneStepToOneLinkAreOneSend) {
  CoreFixture fixture({});
  fixture.muster(1);
  Value bytes;
  for (std::uint32_t i = 1; i <= 50; ++i) {
    bytes = joined({bytes, make_frame(wire::Type::add, i, wire::AddRequest{"n", 1})});
  }
  EXPECT_EQ(fixture.step(Received{1, bytes}).size(), 50U);
  EXPECT_EQ(fixture.actions.list.size(), 1U);
}

TEST(Core, ServerHelloAndWelcomeAreOneSend) {
  CoreFixture fixture({.size = 2});
  fixture.step(Opened{1, "unix"});
  const Value hello = CoreFixture::hello_of(0, 2);
  fixture.step(Received{1, hello});
  EXPECT_EQ(count_of<Send>(fixture.actions), 1U);
}

TEST(Core, AStrangerTooManyCostsTheOldestSilentOne) {
  CoreFixture fixture({.size = 2});
  fixture.step(Opened{1, "unix"});
  const Value hello = CoreFixture::hello_of(0, 2);
  fixture.step(Received{1, Bytes(hello).first(20)});
  for (LinkId link = 2; link <= limits::strangers_max; ++link) {
    fixture.step(Opened{link, "unix"});
    ASSERT_EQ(count_of<Close>(fixture.actions), 0U);
  }
  fixture.step(Opened{limits::strangers_max + 1, "unix"});
  ASSERT_EQ(count_of<Close>(fixture.actions), 1U);
  const Action& last = fixture.actions.list.back();
  EXPECT_EQ(std::get<Close>(last).link, 2U);
  EXPECT_EQ(fixture.core.open_items(), limits::strangers_max);
  // Who was speaking goes on.
  EXPECT_EQ(fixture.step(Received{1, Bytes(hello).subspan(20)}).at(0).type, wire::Type::welcome);
}

TEST(Core, EventsOfALinkThatItHasClosedAreNothing) {
  CoreFixture fixture({});
  fixture.step(Opened{1, "unix"});
  fixture.step(Received{1, as_bytes("noise")});
  ASSERT_EQ(count_of<Close>(fixture.actions), 1U);
  fixture.step(Received{1, as_bytes("more of it")});
  EXPECT_TRUE(fixture.actions.list.empty());
  fixture.step(Closed{1, "closed"});
  EXPECT_TRUE(fixture.actions.list.empty());
  EXPECT_EQ(fixture.core.open_items(), 0U);
}

TEST(Core, FramesBehindABrokenOneAreNotServed) {
  CoreFixture fixture({.on_loss = OnLoss::notify});
  fixture.muster(2);
  Value bytes = make_frame(wire::Type::add, 1, wire::AddRequest{"n", 1});
  bytes.insert(bytes.end(), 16, std::byte{0xff});
  bytes = joined({bytes, make_frame(wire::Type::add, 2, wire::AddRequest{"n", 1})});
  EXPECT_EQ(fixture.step(Received{1, bytes}).size(), 1U);
  EXPECT_EQ(count_of<Close>(fixture.actions), 1U);
  EXPECT_EQ(fixture.core.first_casualty()->who.rank, 0U);
}

TEST(Core, AStatusPageHasALimit) {
  CoreFixture fixture({.size = 5000});
  fixture.step(Opened{1, "unix"});
  const Value hello = wire::encode(wire::ClientHello{.role = wire::Role::tool});
  fixture.step(Received{1, hello});
  const auto page =
      fixture.ask(1, wire::Type::status, 1, wire::StatusRequest{.first_rank = 0, .rows_max = 5000});
  const JobStatus first = wire::decode_status(page.at(0).body).value();
  EXPECT_EQ(first.rows.size(), limits::status_rows_max);
  const auto rest =
      fixture.ask(1, wire::Type::status, 2,
                  wire::StatusRequest{.first_rank = limits::status_rows_max, .rows_max = 5000});
  EXPECT_EQ(wire::decode_status(rest.at(0).body)->rows.size(), 5000 - limits::status_rows_max);
  EXPECT_EQ(fixture.core.status(fixture.now).rows.size(), 5000U);
}

TEST(Core, AStatusNamesTheFirstOfManySeekersToClientsThatReadOfThem) {
  CoreFixture fixture({.size = 5000});
  const std::uint32_t seeking = limits::named_ranks_max + 1;
  for (LinkId link = 1; link <= seeking; ++link) {
    fixture.step(Opened{link, "unix"});
    const Value hello =
        wire::encode(wire::ClientHello{.role = wire::Role::assigned,
                                       .size = 5000,
                                       .pid = static_cast<std::uint32_t>(100 + link),
                                       .left_ms = 60'000,
                                       .host = std::string("h\x1b")});
    fixture.step(Received{link, hello});
  }
  fixture.now += std::chrono::seconds{2};
  const auto ask = [&](LinkId link, std::uint32_t features) {
    fixture.step(Opened{link, "unix"});
    const Value hello =
        wire::encode(wire::ClientHello{.features = features, .role = wire::Role::tool});
    fixture.step(Received{link, hello});
    const auto page = fixture.ask(link, wire::Type::status, 1, wire::StatusRequest{});
    return wire::decode_status(page.at(0).body).value();
  };
  const JobStatus told = ask(1000, wire::feature_seekers);
  EXPECT_EQ(told.seeking, seeking);
  ASSERT_EQ(told.seekers.size(), limits::named_ranks_max);
  EXPECT_EQ(told.seekers.front().host, "h?");
  EXPECT_EQ(told.seekers.front().pid, 101U);
  EXPECT_EQ(told.seekers.front().since, std::chrono::seconds{2});
  EXPECT_EQ(told.seekers.back().pid, 100U + limits::named_ranks_max);

  EXPECT_EQ(ask(1001, wire::feature_beats).seeking, 0U) << "an older client";
  EXPECT_EQ(fixture.core.status(fixture.now).seeking, seeking);
  const auto rest =
      fixture.ask(1000, wire::Type::status, 2, wire::StatusRequest{.first_rank = 4096});
  EXPECT_EQ(wire::decode_status(rest.at(0).body)->seeking, 0U) << "on the first page alone";
}

TEST(Core, ALinkOfManyRanksGetsNoMorePartsOfAnAlltoallThanAVerdictHolds) {
  constexpr std::uint32_t size = 1001;
  CoreFixture fixture({});
  Value letters;
  wire::encode_verdict(std::vector<Bytes>(size), letters);
  const auto alltoall = [&](std::uint32_t ranks) {
    fixture.step(Opened{ranks, "unix"});
    const Value hello = wire::encode(wire::ClientHello{
        .size = size, .left_ms = 60'000, .host = "h", .ranks = {{size - ranks, ranks}}});
    fixture.step(Received{ranks, hello});
    wire::Arrive arrive{.sequence = 1, .kind = Kind::alltoall, .left_ms = 60'000};
    for (std::uint32_t rank = size - ranks; rank < size; ++rank) {
      arrive.parts.push_back({rank, letters});
    }
    return fixture.ask(ranks, wire::Type::arrive, 1, arrive);
  };
  const auto refused = alltoall(1000);
  ASSERT_EQ(refused.size(), 1U);
  EXPECT_EQ(refused[0].failure().code, Code::limit);
  EXPECT_THAT(refused[0].failure().reason, testing::HasSubstr("1001000 parts"));
  fixture.step(Closed{1000, "gone"});
  EXPECT_TRUE(alltoall(999).empty()) << "it waits for the others";
}

TEST(Core, OnlyARoundTripOfAMillionBarriersIsKept) {
  CoreFixture fixture({});
  fixture.muster(2);
  const std::size_t base = fixture.core.open_items();
  for (std::uint32_t round = 1; round <= 10'000; ++round) {
    for (std::uint32_t rank = 0; rank < 2; ++rank) {
      fixture.ask(rank + 1, wire::Type::arrive, round,
                  wire::Arrive{.sequence = round, .left_ms = 1000, .parts = {{rank, {}}}});
    }
    ASSERT_EQ(fixture.core.open_items(), base);
    ASSERT_FALSE(fixture.core.next_deadline());
  }
}

TEST(Core, ALogLineCannotBeForged) {
  CoreFixture fixture({});
  fixture.muster(2);
  fixture.ask(2, wire::Type::fail, 1, wire::FailRequest{1, "disk\nmuster: error: all is lost\x1b"});
  for (const Action& action : fixture.actions.list) {
    if (const auto* log = std::get_if<Log>(&action)) {
      EXPECT_THAT(log->line, HasSubstr("failed: disk muster: error: all is lost?"));
    }
  }
  EXPECT_EQ(count_of<Log>(fixture.actions), 1U);
  EXPECT_EQ(count_of<Doomed>(fixture.actions), 1U);
}

}  // namespace
}  // namespace muster::server
