#include "server/driver/handshakes.hpp"

#include <gtest/gtest.h>

namespace muster::server {
namespace {

constexpr TimePoint start{std::chrono::hours{1}};

TEST(Handshakes, GoOnInOrderAndSoManyAtATime) {
  Handshakes handshakes(2);
  for (const LinkId link : {5, 3, 4, 1}) handshakes.wait(link);
  EXPECT_EQ(handshakes.next(start), 5U);
  EXPECT_EQ(handshakes.next(start), 3U);
  EXPECT_FALSE(handshakes.next(start));
  handshakes.over(5);
  handshakes.over(4);
  handshakes.over(77);
  EXPECT_EQ(handshakes.next(start), 1U) << "4 has gone meanwhile";
  EXPECT_EQ(handshakes.going_on(), 2U);
}

TEST(Handshakes, WhoStopsMakesRoomForThoseWhoWait) {
  Handshakes handshakes(2);
  const TimePoint late = start + limits::tls_handshake_time_max;
  handshakes.wait(1);
  handshakes.wait(2);
  handshakes.next(start);
  handshakes.next(start + std::chrono::seconds{1});
  EXPECT_FALSE(handshakes.next_deadline()) << "nobody waits";
  EXPECT_FALSE(handshakes.slow(late));
  handshakes.wait(3);
  EXPECT_EQ(handshakes.next_deadline(), late);
  EXPECT_FALSE(handshakes.slow(late - std::chrono::nanoseconds{1}));
  EXPECT_EQ(handshakes.slow(late), 1U);
  handshakes.over(1);
  EXPECT_FALSE(handshakes.slow(late)) << "there is room again";
}

}  // namespace
}  // namespace muster::server
