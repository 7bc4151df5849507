#include "server/core/groups.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/limits.hpp"
#include "server/core/core_fixture.hpp"
#include "wire/group_messages.hpp"

namespace muster::server {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

class GroupsTest : public ::testing::Test {
 protected:
  explicit GroupsTest(OnLoss on_loss = OnLoss::notify) : fixture({.on_loss = on_loss}) {}

  Seen open(LinkId link, GroupId group, std::vector<std::uint32_t> members) {
    return fixture.ask(link, wire::Type::open_group, ++sequence, wire::OpenGroup{group, members})
        .at(0);
  }
  void close(LinkId link, GroupId group) {
    const auto rank = static_cast<std::uint32_t>(link - 1);
    fixture.ask(link, wire::Type::close_group, ++sequence, wire::CloseGroup{group, {rank}});
  }
  void arrive(LinkId link, GroupId group, std::uint32_t left_ms) {
    fixture.ask(link, wire::Type::arrive, ++sequence,
                wire::Arrive{.group = group,
                             .sequence = 1,
                             .left_ms = left_ms,
                             .parts = {{static_cast<std::uint32_t>(link - 1), {}}}});
  }

  CoreFixture fixture;
  std::uint32_t sequence = 0;
};

TEST_F(GroupsTest, ARankIsInAsManyAsTheLimitSaysAndNoMore) {
  fixture.muster(3);
  for (GroupId id = 1; id <= limits::groups_a_rank_max; ++id) {
    ASSERT_EQ(open(1, id, {0, 1}).result, 0);
  }
  EXPECT_EQ(fixture.core.open_groups(), limits::groups_a_rank_max);
  const Seen refused = open(3, 5000, {2, 1});
  ASSERT_NE(refused.result, 0);
  EXPECT_EQ(refused.failure().code, Code::limit);
  EXPECT_EQ(refused.failure().reason,
            "a rank is in at most 1024 subsets at a time, and rank 1 is in as many; this one, the "
            "group of ranks 1-2, is one too many");
  EXPECT_EQ(open(2, 7, {0, 1}).result, 0) << "the other members of one that is open come in";
  EXPECT_EQ(open(3, 5000, {2}).result, 0) << "others are not concerned";

  close(2, 7);  // for rank 1; rank 0 is still in as many
  EXPECT_EQ(open(3, 5001, {2, 1}).result, 0);
  EXPECT_NE(open(3, 5002, {2, 0}).result, 0);
}

TEST_F(GroupsTest, DeadlinesComeInTheirOrder) {
  fixture.muster(2);
  const TimePoint begun = fixture.now;
  for (GroupId id = 1; id <= 3; ++id) open(1, id, {0, 1});
  arrive(1, 1, 3000);
  arrive(1, 2, 1000);
  arrive(1, 3, 2000);
  for (const auto due : {950ms, 1950ms, 2950ms}) {
    EXPECT_EQ(fixture.core.next_deadline(), begun + due);
    fixture.now = begun + due;
    EXPECT_EQ(fixture.step(Tick{}).size(), 1U);
  }
  EXPECT_FALSE(fixture.core.next_deadline());
}

TEST_F(GroupsTest, AreFreedWhenTheLastMemberHasGoneOneWayOrTheOther) {
  fixture.muster(4);
  open(1, 1, {0, 1, 2, 3});
  open(1, 2, {3, 0});
  arrive(1, 1, 1000);
  fixture.now += 950ms;
  fixture.step(Tick{});  // leaves a tombstone
  close(1, 1);
  fixture.ask(2, wire::Type::leave, ++sequence, wire::LeaveRequest{.now = true});
  fixture.step(Closed{3, "reset"});
  EXPECT_EQ(fixture.core.open_groups(), 2U) << "rank 3 is in both";
  fixture.step(Closed{4, "reset"});
  EXPECT_EQ(fixture.core.open_groups(), 1U) << "rank 0 has the other";
  close(1, 2);
  EXPECT_EQ(fixture.core.open_groups(), 0U);
}

}  // namespace
}  // namespace muster::server
