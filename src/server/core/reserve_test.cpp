#include "server/core/reserve.hpp"

#include <gtest/gtest.h>

#include "base/limits.hpp"

namespace muster::server {
namespace {

using namespace std::chrono_literals;

const TimePoint now = TimePoint{} + 1h;

TEST(Reserve, IsAQuarterOfALittleAndFiftyMillisecondsOfMuch) {
  EXPECT_EQ(answer_by(now, 0), now);
  EXPECT_EQ(answer_by(now, 1), now + 750us);
  EXPECT_EQ(answer_by(now, 100), now + 75ms);
  EXPECT_EQ(answer_by(now, 200), now + 150ms);
  EXPECT_EQ(answer_by(now, 201), now + 151ms);
  EXPECT_EQ(answer_by(now, 10'000), now + 9950ms);
}

TEST(Reserve, CountsNoWaitLongerThanTheLimit) {
  const auto most = static_cast<std::uint32_t>(std::chrono::milliseconds{limits::wait_max}.count());
  EXPECT_EQ(answer_by(now, most), now + limits::wait_max - 50ms);
  EXPECT_EQ(answer_by(now, 0xffffffff), answer_by(now, most));
}

}  // namespace
}  // namespace muster::server
