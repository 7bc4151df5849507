#include "server/core/heart.hpp"

#include <gtest/gtest.h>

namespace muster::server {
namespace {

using namespace std::chrono_literals;

constexpr TimePoint start = TimePoint{} + 1h;

TEST(Heart, StandsStillWithoutLinks) {
  Heart heart(2s);
  EXPECT_FALSE(heart.next_deadline());
  heart.add(7, start);
  EXPECT_EQ(heart.next_deadline(), start + 2s);
  heart.remove(7);
  heart.remove(8);
  EXPECT_FALSE(heart.next_deadline());
  EXPECT_FALSE(heart.beat(start + 1h));
}

TEST(Heart, BeatsAtItsPaceForAllLinksAtOnce) {
  Heart heart(2s);
  heart.add(7, start);
  heart.add(3, start + 1s);
  EXPECT_FALSE(heart.beat(start + 2s - 1ns));
  EXPECT_EQ(heart.beat(start + 2s), 2s);
  EXPECT_FALSE(heart.beat(start + 2s));
  EXPECT_EQ(heart.next_deadline(), start + 4s);
  EXPECT_EQ(heart.links(), (std::set<LinkId>{3, 7}));
}

TEST(Heart, ATimeWithoutLinksIsAGap) {
  Heart heart(2s);
  heart.add(7, start);
  EXPECT_EQ(heart.beat(start + 2s), 2s);
  heart.remove(7);
  heart.add(8, start + 1h);
  EXPECT_EQ(heart.beat(start + 1h + 2s), 2s);
  EXPECT_EQ(heart.beat(start + 1h + 4s), 4s);
}

}  // namespace
}  // namespace muster::server
