#include "server/core/gathering.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/limits.hpp"

namespace muster::server {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

const TimePoint start = TimePoint{} + 1h;

TEST(Gathering, EndsAtTheEarliestDeadlineLessTheReserve) {
  Gathering gathering;
  EXPECT_FALSE(gathering.deadline());
  gathering.admitted(start, 10'000);
  EXPECT_EQ(gathering.deadline(), start + 9950ms);
  gathering.admitted(start + 1s, 100);
  EXPECT_EQ(gathering.deadline(), start + 1075ms);
  gathering.admitted(start + 1s, 60'000);
  EXPECT_EQ(gathering.deadline(), start + 1075ms);
  gathering.end();
  EXPECT_FALSE(gathering.deadline());
}

TEST(Gathering, SaysNowAndThenWhoIsMissing) {
  Gathering gathering;
  EXPECT_FALSE(gathering.next());
  gathering.admitted(start, 25'000);
  EXPECT_EQ(gathering.next(), start + limits::gathering_line_period);
  EXPECT_FALSE(gathering.line_due(start + limits::gathering_line_period - 1ns));
  EXPECT_TRUE(gathering.line_due(start + limits::gathering_line_period));
  EXPECT_FALSE(gathering.line_due(start + limits::gathering_line_period));
  EXPECT_TRUE(gathering.line_due(start + 2 * limits::gathering_line_period));
  EXPECT_EQ(gathering.next(), gathering.deadline());
}

TEST(Gathering, NamesWhoIsMissingAndCountsTheRest) {
  Roster roster;
  roster.set_size(200, start);
  roster.join({1}, 1, {}, start);
  Gathering gathering;
  gathering.admitted(start, 10'000);
  const Failure failure = gathering.missing(roster, 0, start + 9950ms);
  EXPECT_EQ(failure.code, Code::rank_missing);
  EXPECT_THAT(failure.reason, HasSubstr("199 of 200 ranks did not join within 9.950 s"));
  EXPECT_THAT(failure.reason, HasSubstr("ranks 0, 2-199"));
  ASSERT_EQ(failure.who.size(), limits::named_ranks_max);
  EXPECT_EQ(failure.who[1].text(), "rank 2: has not joined");
}

}  // namespace
}  // namespace muster::server
