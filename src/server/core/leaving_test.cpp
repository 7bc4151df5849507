#include "server/core/leaving.hpp"

#include <gtest/gtest.h>

namespace muster::server {
namespace {

using namespace std::chrono_literals;

const TimePoint start = TimePoint{} + 1h;

Leaving::Wait wait(LinkId link, Duration time) {
  return {{link, wire::Type::leave, 1}, start, start + time};
}

TEST(Leaving, EndsInTheOrderOfDeadlines) {
  Leaving leaving;
  leaving.add(wait(1, 3s));
  leaving.add(wait(2, 1s));
  leaving.add(wait(3, 2s));
  EXPECT_EQ(leaving.next_deadline(), start + 1s);
  const auto due = leaving.take_due(start + 2s);
  ASSERT_EQ(due.size(), 2U);
  EXPECT_EQ(due[0].to.link, 2U);
  EXPECT_EQ(due[1].to.link, 3U);
  EXPECT_TRUE(leaving.waits(1));
  EXPECT_EQ(leaving.take_all().size(), 1U);
  EXPECT_EQ(leaving.size(), 0U);
}

TEST(Leaving, ForgetsALinkThatIsGone) {
  Leaving leaving;
  leaving.add(wait(1, 3s));
  leaving.drop_link(1);
  leaving.drop_link(9);
  EXPECT_FALSE(leaving.next_deadline());
  EXPECT_FALSE(leaving.waits(1));
}

}  // namespace
}  // namespace muster::server
