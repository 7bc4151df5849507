#include "server/core/group_rounds.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

#include "base/limits.hpp"
#include "server/core/core_fixture.hpp"
#include "server/core/round_failures.hpp"

namespace muster::server {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

class GroupRoundsTest : public ::testing::Test {
 protected:
  void make(std::uint32_t size, std::size_t round_bytes_max = limits::round_bytes_max) {
    roster.set_size(size, now);
    group.emplace(Members(size), round_bytes_max);
  }
  /// `rank` arrives over the link of that number; returns who was answered.
  std::vector<Seen> arrive(std::uint32_t rank, std::uint64_t sequence, Bytes payload = {},
                           std::string_view label = {}) {
    arrive_unseen(rank, sequence, payload, label);
    return frames_of(actions);
  }
  void arrive_unseen(std::uint32_t rank, std::uint64_t sequence, Bytes payload = {},
                     std::string_view label = {}) {
    wire::Arrive message{.sequence = sequence,
                         .kind = payload.empty() ? Kind::barrier : Kind::allgatherv,
                         .left_ms = 1000,
                         .label = label,
                         .parts = {{rank, payload}}};
    actions.clear();
    Outbox out(actions);
    group->arrive(message, {rank, wire::Type::arrive, static_cast<std::uint32_t>(sequence)}, roster,
                  now, out);
  }
  std::vector<Seen> expire() {
    return with([&](Outbox& out) {
      group->expire(
          roster, [](std::uint32_t) { return "is late"; }, now, out);
    });
  }
  template <class Do>
  std::vector<Seen> with(Do&& what) {
    actions.clear();
    Outbox out(actions);
    what(out);
    return frames_of(actions);
  }

  TimePoint now = TimePoint{} + 1h;
  Roster roster;
  std::optional<GroupRounds> group;
  Actions actions;
};

TEST_F(GroupRoundsTest, AResultIsOneBufferForAll) {
  make(3);
  arrive(0, 1, as_bytes("a"));
  arrive(2, 1, as_bytes("c"));
  EXPECT_EQ(arrive(1, 1, as_bytes("b")).size(), 3U);
  const Shared& tail = std::get<Send>(actions.list.front()).tail;
  ASSERT_NE(tail, nullptr);
  for (const Action& action : actions.list) {
    EXPECT_EQ(std::get<Send>(action).tail, tail);
    EXPECT_EQ(std::get<Send>(action).length, limits::frame_header_bytes);
  }
}

TEST_F(GroupRoundsTest, ATombstoneLivesUntilTheLastHasPassed) {
  make(3);
  arrive(0, 1);
  EXPECT_EQ(group->next_deadline(), now + 950ms);
  EXPECT_TRUE(expire().empty());
  now += 950ms;
  const auto timed_out = expire();
  ASSERT_EQ(timed_out.size(), 1U);
  EXPECT_EQ(timed_out[0].failure().code, Code::rank_missing);
  EXPECT_THAT(timed_out[0].failure().reason,
              HasSubstr("ranks 1-2 (rank 1 is late; rank 2 is late)"));
  EXPECT_FALSE(group->next_deadline());
  EXPECT_EQ(group->tombstones(), 1U);
  EXPECT_EQ(arrive(1, 1)[0].body, timed_out[0].body);
  EXPECT_EQ(group->tombstones(), 1U);
  EXPECT_EQ(arrive(2, 1)[0].body, timed_out[0].body);
  EXPECT_EQ(group->tombstones(), 0U);
}

TEST_F(GroupRoundsTest, OneTombstoneTooManyBreaksTheGroup) {
  make(2);
  Value last;
  for (std::uint64_t round = 1; round <= limits::tombstones_max; ++round) {
    arrive(0, round);
    now += 1s;
    last = expire().at(0).body;
  }
  EXPECT_EQ(group->tombstones(), limits::tombstones_max);
  EXPECT_THAT(wire::decode_failure(last)->reason, Not(HasSubstr("broken")));

  arrive(0, limits::tombstones_max + 1);
  now += 1s;
  const Value broken = expire().at(0).body;
  EXPECT_THAT(wire::decode_failure(broken)->reason,
              HasSubstr("the group is broken, since ranks are more than 1024 rounds behind"));
  EXPECT_EQ(arrive(0, limits::tombstones_max + 2).at(0).body, broken);
  // The one who is behind still gets each round's own verdict, then the last one's.
  for (std::uint64_t round = 1; round <= limits::tombstones_max; ++round) {
    EXPECT_NE(arrive(1, round).at(0).body, broken);
  }
  EXPECT_EQ(group->tombstones(), 0U);
  EXPECT_EQ(arrive(1, limits::tombstones_max + 1).at(0).body, broken);
}

TEST_F(GroupRoundsTest, PayloadsReachTheBoundAndNotPastIt) {
  make(2, 10);
  arrive(0, 1, Value(4));
  EXPECT_EQ(arrive(1, 1, Value(6)).at(0).result, 0);
  arrive(0, 2, Value(4));
  const auto over = arrive(1, 2, Value(7));
  ASSERT_EQ(over.size(), 2U);
  EXPECT_EQ(over[0].failure().code, Code::limit);
  EXPECT_THAT(over[0].failure().reason,
              HasSubstr("at most 10 bytes together, rank 1 brought them to 11"));
  EXPECT_EQ(group->tombstones(), 0U);
  arrive(0, 3, Value(4));
  EXPECT_EQ(arrive(1, 3, Value(6)).at(0).result, 0);
}

TEST_F(GroupRoundsTest, AVerdictFitsAFrameWhateverTheBound) {
  constexpr std::uint32_t size = 2000;
  make(size);
  for (std::uint32_t rank = 1; rank < size; ++rank) arrive(rank, 1, Value(1));
  const std::size_t room = limits::frame_body_bytes_max - 4 - 4 * size - (size - 1);
  ASSERT_LT(room, limits::round_bytes_max);
  const Value payload(room + 1);
  arrive_unseen(0, 1, payload);
  const Shared refused = std::get<Send>(actions.list.at(0)).tail;
  ASSERT_LT(refused->size(), 1000U);
  EXPECT_EQ(wire::decode_failure(*refused)->code, Code::limit);

  for (std::uint32_t rank = 1; rank < size; ++rank) arrive(rank, 2, Value(1));
  arrive_unseen(0, 2, Bytes(payload).first(room));
  EXPECT_EQ(std::get<Send>(actions.list.at(0)).tail->size(), limits::frame_body_bytes_max);
}

TEST_F(GroupRoundsTest, BothSidesOfALargeMismatchAreNamed) {
  make(200);
  for (std::uint32_t rank = 0; rank < 150; ++rank) arrive(rank, 1, {}, "a");
  const Failure failure = arrive(170, 1, {}, "b").at(0).failure();
  EXPECT_EQ(failure.reason, "ranks 0-149 are in barrier 'a' #1, rank 170 is in barrier 'b' #1");
  ASSERT_EQ(failure.who.size(), limits::named_ranks_max);
  EXPECT_EQ(failure.who.back().text(), "rank 170: is in barrier 'b' #1");
}

TEST_F(GroupRoundsTest, TheFirstReasonToBreakStays) {
  make(3);
  arrive(0, 1, {}, "a");
  const Value mismatch = arrive(1, 1, {}, "b").at(0).body;
  with([&](Outbox& out) { group->leave({2}, Going::leaves, roster, out); });
  with([&](Outbox& out) {
    group->break_off(share(Failure{.code = Code::rank_failed, .reason = "later"}), out);
  });
  EXPECT_EQ(arrive(0, 2).at(0).body, mismatch);
}

TEST_F(GroupRoundsTest, WhoIsGonePassesNoTombstone) {
  make(3);
  arrive(0, 1);
  now += 1s;
  expire();
  with([&](Outbox& out) {
    group->lose({1}, share(Failure{.code = Code::rank_lost, .reason = "gone"}), out);
  });
  EXPECT_EQ(group->tombstones(), 1U);
  with([&](Outbox& out) { group->leave({2}, Going::leaves, roster, out); });
  EXPECT_EQ(group->tombstones(), 0U);
}

TEST_F(GroupRoundsTest, SaysWhatIsOpen) {
  make(100);
  EXPECT_FALSE(group->open_round(now));
  arrive(0, 1, {}, "x");
  now += 500ms;
  const OpenRound open = group->open_round(now).value();
  EXPECT_EQ(open.what, "barrier 'x'");
  EXPECT_EQ(open.arrived, 1U);
  EXPECT_EQ(open.age, 500ms);
  EXPECT_EQ(open.missing.size(), limits::named_ranks_max);
  EXPECT_EQ(open.missing.front(), 1U);
  EXPECT_EQ(group->waiting_in(0), "barrier 'x' #1");
  EXPECT_EQ(group->waiting_in(1), "");
}

}  // namespace
}  // namespace muster::server
