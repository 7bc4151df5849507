#include "server/core/strangers.hpp"

#include <gtest/gtest.h>

namespace muster::server {
namespace {

using namespace std::chrono_literals;

const TimePoint start = TimePoint{} + 1h;

TEST(Strangers, TheOldestSilentOneGoesFirst) {
  Strangers strangers(3);
  EXPECT_FALSE(strangers.opened(1, start));
  EXPECT_FALSE(strangers.opened(2, start + 1s));
  EXPECT_FALSE(strangers.opened(3, start + 2s));
  strangers.spoke(1);
  EXPECT_EQ(strangers.opened(4, start + 3s), 2U);
  EXPECT_EQ(strangers.size(), 3U);
}

TEST(Strangers, IfAllSpokeTheOldestGoes) {
  Strangers strangers(2);
  strangers.opened(1, start);
  strangers.opened(2, start + 1s);
  strangers.spoke(2);
  strangers.spoke(1);
  EXPECT_EQ(strangers.opened(3, start + 2s), 1U);
}

TEST(Strangers, TheAdmittedDoNotCount) {
  Strangers strangers(1);
  strangers.opened(1, start);
  strangers.gone(1);
  EXPECT_FALSE(strangers.opened(2, start));
  strangers.gone(7);  // no stranger
  strangers.spoke(7);
  EXPECT_EQ(strangers.size(), 1U);
}

TEST(Strangers, HaveTheirTimeFromTheBeginningWhetherTheySpeakOrNot) {
  Strangers strangers;
  strangers.opened(1, start);
  strangers.opened(2, start + 1s);
  strangers.spoke(1);
  EXPECT_EQ(strangers.next_deadline(), start + limits::hello_time_max);
  EXPECT_TRUE(strangers.take_due(start + limits::hello_time_max - 1ns).empty());
  EXPECT_EQ(strangers.take_due(start + limits::hello_time_max), (std::vector<LinkId>{1}));
  EXPECT_EQ(strangers.take_due(start + 1h), (std::vector<LinkId>{2}));
  EXPECT_FALSE(strangers.next_deadline());
}

}  // namespace
}  // namespace muster::server
