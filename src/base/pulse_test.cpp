#include "base/pulse.hpp"

#include <gtest/gtest.h>

namespace muster {
namespace {

using namespace std::chrono_literals;

constexpr TimePoint start = TimePoint{} + 1h;

TEST(AwakeTime, RunsWithTheClockAsLongAsItIsLookedAt) {
  AwakeTime time(start);
  EXPECT_EQ(time.look(start + 2s, 2s), 2s);
  EXPECT_EQ(time.look(start + 3s, 2s), 3s);
  EXPECT_EQ(time.look(start + 7s, 2s), 7s) << "twice the period is late, and no gap";
}

TEST(AwakeTime, AGapDoesNotCount) {
  AwakeTime time(start);
  time.look(start + 2s, 2s);
  EXPECT_EQ(time.look(start + 6s + 1ms, 2s), 2s);
  EXPECT_EQ(time.look(start + 8s + 1ms, 2s), 4s);
}

TEST(Pulse, IsSilentFromTheLookAfterItsLastByte) {
  Pulse pulse;
  EXPECT_EQ(pulse.silence(2s), 0s) << "a fresh one counts as heard";
  EXPECT_EQ(pulse.silence(4s), 2s);
  EXPECT_EQ(pulse.silence(6s), 4s);
  pulse.heard();
  pulse.heard();
  EXPECT_EQ(pulse.silence(8s), 0s);
  EXPECT_EQ(pulse.silence(10s), 2s);
}

}  // namespace
}  // namespace muster
