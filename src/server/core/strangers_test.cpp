#include "server/core/strangers.hpp"

#include <gtest/gtest.h>

namespace muster::server {
namespace {

using namespace std::chrono_literals;

const TimePoint start = TimePoint{} + 1h;

TEST(Strangers, TheOldestSilentOneGoesFirst) {
  Strangers strangers(3);
  EXPECT_FALSE(strangers.opened(1, "a", start));
  EXPECT_FALSE(strangers.opened(2, "a", start + 1s));
  EXPECT_FALSE(strangers.opened(3, "a", start + 2s));
  strangers.spoke(1);
  EXPECT_EQ(strangers.opened(4, "a", start + 3s), 2U);
  EXPECT_EQ(strangers.size(), 3U);
}

TEST(Strangers, IfAllSpokeTheOldestGoes) {
  Strangers strangers(2);
  strangers.opened(1, "a", start);
  strangers.opened(2, "a", start + 1s);
  strangers.spoke(2);
  strangers.spoke(1);
  EXPECT_EQ(strangers.opened(3, "a", start + 2s), 1U);
}

TEST(Strangers, TheAdmittedDoNotCount) {
  Strangers strangers(1);
  strangers.opened(1, "a", start);
  strangers.gone(1);
  EXPECT_FALSE(strangers.opened(2, "a", start));
  strangers.gone(7);  // no stranger
  strangers.spoke(7);
  EXPECT_EQ(strangers.size(), 1U);
}

TEST(Strangers, TheFullestSourceGivesRoom) {
  Strangers strangers(5);
  strangers.opened(1, "b", start);
  strangers.opened(2, "c", start);
  strangers.opened(3, "a", start + 1s);
  strangers.opened(4, "a", start + 2s);
  strangers.opened(5, "a", start + 3s);
  strangers.spoke(3);
  EXPECT_EQ(strangers.opened(6, "d", start + 4s), 4U) << "its oldest silent one";
  strangers.spoke(5);
  EXPECT_EQ(strangers.opened(7, "a", start + 5s), 3U) << "nobody of it is silent";
  EXPECT_EQ(strangers.take_one(), 7U) << "it counts, too";
}

TEST(Strangers, OfSourcesEquallyFullTheOneWithTheOldestSilentLinkGivesRoom) {
  Strangers strangers;
  strangers.opened(1, "a", start);
  strangers.opened(2, "b", start + 1s);
  strangers.opened(3, "c", start + 2s);
  strangers.spoke(1);
  EXPECT_EQ(strangers.take_one(), 2U);
  EXPECT_EQ(strangers.take_one(), 3U);
  EXPECT_EQ(strangers.take_one(), 1U);
  EXPECT_FALSE(strangers.take_one());
  EXPECT_EQ(strangers.size(), 0U);
}

TEST(Strangers, WhoIsVouchedForDoesNotGoForOthers) {
  Strangers strangers;
  strangers.opened(1, "a", start);
  strangers.opened(2, "a", start + 1s);
  strangers.opened(3, "a", start + 2s);
  strangers.opened(4, "b", start + 3s);
  strangers.spoke(2);
  strangers.vouched(1);
  strangers.vouched(2);
  strangers.spoke(2);
  strangers.vouched(7);  // no stranger
  EXPECT_EQ(strangers.take_one(), 3U) << "one each, and this one came earlier";
  EXPECT_EQ(strangers.take_one(), 4U);
  EXPECT_FALSE(strangers.take_one());
  EXPECT_EQ(strangers.take_due(start + 1h), (std::vector<LinkId>{1, 2})) << "its time is bounded";
}

TEST(Strangers, HaveTheirTimeFromTheBeginningWhetherTheySpeakOrNot) {
  Strangers strangers;
  strangers.opened(1, "a", start);
  strangers.opened(2, "a", start + 1s);
  strangers.spoke(1);
  EXPECT_EQ(strangers.next_deadline(), start + limits::hello_time_max);
  EXPECT_TRUE(strangers.take_due(start + limits::hello_time_max - 1ns).empty());
  EXPECT_EQ(strangers.take_due(start + limits::hello_time_max), (std::vector<LinkId>{1}));
  EXPECT_EQ(strangers.take_due(start + 1h), (std::vector<LinkId>{2}));
  EXPECT_FALSE(strangers.next_deadline());
}

}  // namespace
}  // namespace muster::server
