#include "server/driver/handshakes.hpp"

#include <gtest/gtest.h>
#include <vector>

namespace muster::server {
namespace {

constexpr TimePoint start{std::chrono::hours{1}};
constexpr TimePoint late = start + limits::tls_handshake_time_max;

/// All that may begin now.
std::vector<LinkId> begin(Handshakes& handshakes, TimePoint now = start) {
  std::vector<LinkId> begun;
  while (const auto link = handshakes.next(now)) begun.push_back(*link);
  return begun;
}

TEST(Handshakes, OfOneSourceGoOnInOrderInHalfOfTheRoom) {
  Handshakes handshakes(4);
  for (LinkId link = 1; link <= 6; ++link) handshakes.wait(link, "a");
  EXPECT_EQ(begin(handshakes), (std::vector<LinkId>{1, 2}));
  handshakes.over(1);
  handshakes.over(3);
  handshakes.over(77);
  EXPECT_EQ(begin(handshakes), (std::vector<LinkId>{4})) << "3 has gone meanwhile";
  EXPECT_EQ(handshakes.going_on(), 2U);
}

TEST(Handshakes, SourcesTakeTurns) {
  Handshakes handshakes(8);
  for (const LinkId link : {1, 2, 3, 4, 5}) handshakes.wait(link, "a");
  for (const LinkId link : {6, 7}) handshakes.wait(link, "b");
  handshakes.wait(8, "c");
  EXPECT_EQ(begin(handshakes), (std::vector<LinkId>{1, 6, 8, 2, 7, 3})) << "and there is room left";
}

TEST(Handshakes, WhoComesFromElsewhereDoesNotWaitForThoseWhoStop) {
  Handshakes handshakes;
  constexpr LinkId crowd = 4000;
  for (LinkId link = 1; link <= crowd; ++link) handshakes.wait(link, "a");
  EXPECT_EQ(begin(handshakes).size(), limits::tls_handshakes_max / 2);
  handshakes.wait(crowd + 1, "b");
  EXPECT_EQ(handshakes.next(start), crowd + 1);
}

TEST(Handshakes, AreNeverMoreThanThereIsRoomForWhereverTheyComeFrom) {
  Handshakes handshakes;
  for (LinkId link = 1; link <= 1000; ++link) handshakes.wait(link, std::to_string(link));
  EXPECT_EQ(begin(handshakes).size(), limits::tls_handshakes_max);
  EXPECT_FALSE(handshakes.next(start));
  handshakes.over(1);
  EXPECT_EQ(begin(handshakes).size(), 1U);
}

TEST(Handshakes, WhoStopsMakesRoomForThoseWhoWait) {
  Handshakes handshakes(4);
  handshakes.wait(1, "a");
  handshakes.wait(2, "a");
  handshakes.next(start);
  handshakes.next(start + std::chrono::seconds{1});
  EXPECT_FALSE(handshakes.next_deadline()) << "nobody waits";
  EXPECT_FALSE(handshakes.slow(late));
  handshakes.wait(3, "a");
  EXPECT_EQ(handshakes.next_deadline(), late);
  EXPECT_FALSE(handshakes.slow(late - std::chrono::nanoseconds{1}));
  EXPECT_EQ(handshakes.slow(late), 1U);
  handshakes.over(1);
  EXPECT_FALSE(handshakes.slow(late)) << "there is room again";
  EXPECT_EQ(handshakes.next(late), 3U);
  handshakes.wait(4, "a");
  EXPECT_EQ(handshakes.slow(late + std::chrono::hours{1}), 2U);
  handshakes.over(4);
  EXPECT_FALSE(handshakes.next_deadline()) << "who waited has gone";
}

}  // namespace
}  // namespace muster::server
