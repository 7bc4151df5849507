#include "client/core/fate.hpp"

#include <gtest/gtest.h>

namespace muster::client {
namespace {

const Error lost{.code = Code::server_lost, .what = "closed at the other end"};
const Failure failed{.code = Code::rank_failed, .reason = "rank 3 failed", .exit_code = 7};

TEST(Fate, IsOpenAtFirstAndHasNoNews) {
  Fate fate;
  EXPECT_FALSE(fate.down());
  EXPECT_FALSE(fate.announced());
  EXPECT_FALSE(fate.has_news());
  EXPECT_FALSE(fate.take_news());
}

TEST(Fate, ALinkThatGoesDownIsNewsOnce) {
  Fate fate;
  EXPECT_TRUE(fate.go_down(lost));
  EXPECT_EQ(fate.down()->what, lost.what);
  ASSERT_TRUE(fate.has_news());
  const auto news = fate.take_news();
  EXPECT_EQ(news->code, Code::server_lost);
  EXPECT_EQ(news->reason, lost.what);
  EXPECT_FALSE(fate.has_news());
}

TEST(Fate, TheFirstReasonStays) {
  Fate fate;
  fate.go_down(lost);
  EXPECT_FALSE(fate.go_down({.code = Code::protocol, .what = "another"}));
  EXPECT_EQ(fate.down()->code, Code::server_lost);
}

TEST(Fate, AnAnnouncementLeavesTheLinkAndIsTheOnlyNews) {
  Fate fate;
  fate.announce(failed);
  EXPECT_FALSE(fate.down());
  fate.announce({.code = Code::server_lost, .reason = "the server is stopping"});
  fate.go_down(lost);
  EXPECT_EQ(fate.announced()->reason, "rank 3 failed") << "what was said first";
  EXPECT_EQ(fate.take_news()->exit_code, 7);
  EXPECT_FALSE(fate.has_news());
}

TEST(Fate, AnOwnerWhoKnowsIsToldNothing) {
  Fate fate;
  fate.owner_knows();
  fate.announce(failed);
  fate.go_down(lost);
  EXPECT_FALSE(fate.has_news());
  EXPECT_TRUE(fate.down());
}

}  // namespace
}  // namespace muster::client
