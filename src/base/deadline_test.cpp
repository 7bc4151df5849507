#include <gtest/gtest.h>

#include <muster/deadline.hpp>

namespace muster {
namespace {

using namespace std::chrono_literals;

constexpr TimePoint now{1000s};

TEST(Deadline, AnAbsoluteTimeStaysAsItIs) {
  EXPECT_EQ(Deadline::at(now + 5s).resolve(now, 1s), now + 5s);
  EXPECT_EQ(Deadline::at(now - 5s).resolve(now, 1s), now - 5s);
}

TEST(Deadline, ATimeFromNowCountsFromTheClockGiven) {
  EXPECT_EQ(Deadline::in(5s).resolve(now, 1s), now + 5s);
  EXPECT_EQ(Deadline::in(0s).resolve(now, 1s), now);
}

TEST(Deadline, NegativeCountsAsZero) {
  EXPECT_EQ(Deadline::in(-5s).resolve(now, 1s), now);
  EXPECT_EQ(Deadline::in(Duration::min()).resolve(now, 1s), now);
}

TEST(Deadline, DefaultMadeMeansTheStandard) {
  EXPECT_EQ(Deadline{}.resolve(now, 120s), now + 120s);
}

TEST(Deadline, WhatWouldOverflowIsTheEndOfTime) {
  EXPECT_EQ(Deadline::in(Duration::max()).resolve(now, 1s), TimePoint::max());
  EXPECT_EQ(Deadline{}.resolve(now, Duration::max()), TimePoint::max());
  EXPECT_EQ(Deadline::in(1ns).resolve(TimePoint::max(), 1s), TimePoint::max());
  EXPECT_EQ(Deadline::in(1ns).resolve(TimePoint::max() - 1ns, 1s), TimePoint::max());
  EXPECT_EQ(Deadline::in(1ns).resolve(TimePoint::max() - 2ns, 1s), TimePoint::max() - 1ns);
}

TEST(Deadline, AClockBeforeItsStartIsAClockToo) {
  EXPECT_EQ(Deadline::in(Duration::max()).resolve(TimePoint{-1s}, 1s), TimePoint::max() - 1s);
}

}  // namespace
}  // namespace muster
