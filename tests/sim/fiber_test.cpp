#include "fiber.hpp"

#include <gtest/gtest.h>
#include <stdexcept>
#include <string>
#include <vector>

namespace muster::sim {
namespace {

TEST(Fiber, RunsUntilItSuspendsAndGoesOnWhereItWas) {
  Fiber fiber;
  std::vector<int> seen;
  fiber.start([&] {
    for (int i = 0; i < 3; ++i) {
      seen.push_back(i);
      fiber.suspend();
    }
  });
  EXPECT_EQ(seen, (std::vector<int>{0}));
  fiber.resume();
  fiber.resume();
  EXPECT_EQ(seen, (std::vector<int>{0, 1, 2}));
  EXPECT_FALSE(fiber.idle());
  fiber.resume();
  EXPECT_TRUE(fiber.idle());
}

TEST(Fiber, RunsOneBodyAfterTheOther) {
  Fiber fiber;
  int sum = 0;
  for (int i = 1; i <= 1000; ++i) {
    fiber.start([&] {
      fiber.suspend();
      sum += i;
    });
    fiber.resume();
    ASSERT_TRUE(fiber.idle());
  }
  EXPECT_EQ(sum, 500500);
}

TEST(Fiber, MayBeDestroyedBeforeItEverRan) {
  Fiber fiber;
  EXPECT_TRUE(fiber.idle());
}

TEST(Fiber, KeepsWhatIsOnItsStackAcrossManyOthers) {
  FiberPool pool;
  std::vector<Fiber*> fibers;
  std::vector<std::string> said(64);
  for (std::size_t i = 0; i < said.size(); ++i) {
    Fiber& fiber = pool.take();
    fibers.push_back(&fiber);
    fiber.start([&said, &fiber, i] {
      std::string text = "fiber ";
      fiber.suspend();
      text += std::to_string(i) + " on a stack of its own, long enough for the heap";
      fiber.suspend();
      said[i] = text;
    });
  }
  for (int round = 0; round < 2; ++round) {
    for (Fiber* fiber : fibers) fiber->resume();
  }
  for (std::size_t i = 0; i < said.size(); ++i) {
    EXPECT_EQ(said[i],
              "fiber " + std::to_string(i) + " on a stack of its own, long enough for the heap");
    pool.give_back(*fibers[i]);
  }
}

TEST(Fiber, CatchesWhatItsOwnBodyThrows) {
  Fiber fiber;
  std::string caught;
  fiber.start([&] {
    fiber.suspend();
    try {
      throw std::runtime_error("inside");
    } catch (const std::runtime_error& error) {
      caught = error.what();
    }
    fiber.suspend();
  });
  fiber.resume();
  EXPECT_EQ(caught, "inside");
  fiber.resume();
  EXPECT_TRUE(fiber.idle());
}

TEST(FiberDeathTest, AnExceptionThatLeavesTheBodyEndsTheProcess) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(
      {
        Fiber fiber;
        fiber.start([] { throw std::runtime_error("out"); });
      },
      "");
}

TEST(FiberPool, UsesAFiberAgain) {
  FiberPool pool;
  Fiber& first = pool.take();
  first.start([] {});
  pool.give_back(first);
  EXPECT_EQ(&pool.take(), &first);
  pool.give_back(first);
}

}  // namespace
}  // namespace muster::sim
