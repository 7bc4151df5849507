#include "scheduler.hpp"

#include <gmock/gmock.h>
#include <string>
#include <vector>

namespace muster::sim {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;

class SchedulerTest : public testing::Test {
 protected:
  FiberPool pool;
  Scheduler scheduler{pool, 1};
  const TimePoint beginning = Scheduler::beginning();
  static constexpr std::uint64_t many = 10'000;
};

TEST_F(SchedulerTest, DoesThingsInTheOrderOfTheirTime) {
  std::vector<int> seen;
  scheduler.at(beginning + 3s, [&] { seen.push_back(3); });
  scheduler.at(beginning + 1s, [&] {
    seen.push_back(1);
    scheduler.at(beginning + 2s, [&] { seen.push_back(2); });
  });
  EXPECT_EQ(scheduler.run(many), Scheduler::End::quiet);
  EXPECT_THAT(seen, ElementsAre(1, 2, 3));
  EXPECT_EQ(scheduler.elapsed(), 3s);
}

TEST_F(SchedulerTest, NeverGoesBackInTime) {
  TimePoint seen;
  scheduler.at(beginning + 5s, [&] { scheduler.at(beginning, [&] { seen = scheduler.now(); }); });
  scheduler.run(many);
  EXPECT_EQ(seen, beginning + 5s);
}

TEST_F(SchedulerTest, ASleepingThreadLeavesTheTimeToOthers) {
  std::vector<std::string> seen;
  const auto sleeper = [&](std::string name, Duration each) {
    scheduler.spawn(name, beginning, [&, name, each] {
      for (int i = 0; i < 2; ++i) {
        scheduler.sleep(each);
        seen.push_back(name);
      }
    });
  };
  sleeper("slow", 3s);
  sleeper("fast", 1s);
  EXPECT_EQ(scheduler.run(many), Scheduler::End::quiet);
  EXPECT_THAT(seen, ElementsAre("fast", "fast", "slow", "slow"));
  EXPECT_EQ(scheduler.elapsed(), 6s);
}

TEST_F(SchedulerTest, AWaitEndsByWakingOrByItsDeadline) {
  bool woken = false;
  bool late = true;
  TimePoint woken_at;
  auto& waiter = scheduler.spawn("waiter", beginning, [&] {
    woken = scheduler.wait(beginning + 10s);
    woken_at = scheduler.now();
    late = scheduler.wait(beginning + 10s);
  });
  scheduler.at(beginning + 4s, [&] {
    scheduler.wake(waiter);
    scheduler.wake(waiter);  // once is as good as twice
  });
  EXPECT_EQ(scheduler.run(many), Scheduler::End::quiet);
  EXPECT_TRUE(woken);
  EXPECT_EQ(woken_at, beginning + 4s);
  EXPECT_FALSE(late);
  EXPECT_EQ(scheduler.elapsed(), 10s);
}

TEST_F(SchedulerTest, ATimerThatNobodyNeedsAnyMoreTakesNoTime) {
  auto& waiter = scheduler.spawn("waiter", beginning, [&] { scheduler.wait(beginning + 100s); });
  scheduler.at(beginning + 1s, [&] { scheduler.wake(waiter); });
  EXPECT_EQ(scheduler.run(many), Scheduler::End::quiet);
  EXPECT_EQ(scheduler.elapsed(), 1s);
}

TEST_F(SchedulerTest, WakingAThreadThatHasNotBegunOrHasEndedIsNothing) {
  int begun = 0;
  auto& thread = scheduler.spawn("thread", beginning + 2s, [&] { ++begun; });
  scheduler.at(beginning + 1s, [&] { scheduler.wake(thread); });
  scheduler.at(beginning + 3s, [&] { scheduler.wake(thread); });
  EXPECT_EQ(scheduler.run(many), Scheduler::End::quiet);
  EXPECT_EQ(begun, 1);
}

TEST_F(SchedulerTest, NamesWhoWaitsInADeadlock) {
  scheduler.spawn("rank 0", beginning, [] {});
  scheduler.spawn("rank 1", beginning, [&] { scheduler.wait(TimePoint::max()); });
  EXPECT_EQ(scheduler.run(many), Scheduler::End::deadlock);
  EXPECT_THAT(scheduler.alive(), ElementsAre("rank 1"));
  scheduler.abandon();
  EXPECT_THAT(scheduler.alive(), IsEmpty());
}

TEST_F(SchedulerTest, EndsARunThatDoesNotEndItself) {
  scheduler.spawn("spinner", beginning, [&] {
    while (!scheduler.abandoned()) scheduler.sleep(1ms);
  });
  scheduler.spawn("unborn", beginning + 24h, [] {});
  EXPECT_EQ(scheduler.run(100), Scheduler::End::endless);
  EXPECT_EQ(scheduler.elapsed(), 99ms);
  scheduler.abandon();
}

std::string order_of(std::uint64_t seed) {
  FiberPool pool;
  Scheduler scheduler{pool, seed};
  std::string order;
  for (const char name : {'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'}) {
    scheduler.spawn(std::string{name}, Scheduler::beginning(), [&order, name] { order += name; });
  }
  scheduler.run(1000);
  return order;
}

TEST(Scheduler, TheSeedDecidesTheOrderOfWhatIsDueAtOnce) {
  EXPECT_EQ(order_of(7), order_of(7));
  EXPECT_NE(order_of(7), order_of(8));
}

}  // namespace
}  // namespace muster::sim
