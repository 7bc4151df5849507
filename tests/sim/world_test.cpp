#include "world.hpp"

#include <algorithm>
#include <gmock/gmock.h>
#include <ostream>
#include <set>
#include <string>

#include "plant.hpp"

namespace muster::sim {
namespace {

using testing::HasSubstr;

constexpr std::uint64_t fixed_seeds = 400;
/// Some plants show in one run of 240.
constexpr std::uint64_t plant_seeds_max = 4000;

TEST(World, FindsNothingInAServerThatIsRight) {
  FiberPool pool;
  std::uint64_t collectives = 0;
  for (std::uint64_t seed = 1; seed <= fixed_seeds; ++seed) {
    const RunResult result = run_seed(pool, {.seed = seed});
    for (const Finding& each : result.findings) {
      ADD_FAILURE() << "seed " << seed << ": " << each.invariant << ": " << each.how;
    }
    collectives += result.collectives;
  }
  EXPECT_GT(collectives, fixed_seeds) << "the runs hardly do anything";
}

TEST(World, TheSameSeedIsTheSameRun) {
  FiberPool pool;
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    const RunResult once = run_seed(pool, {.seed = seed});
    const RunResult again = run_seed(pool, {.seed = seed});
    EXPECT_EQ(once.events, again.events) << "seed " << seed;
    EXPECT_EQ(once.collectives, again.collectives) << "seed " << seed;
  }
}

/// A plant, and the invariants that must notice it.
struct Case {
  std::string plant;
  std::set<std::string> invariants;

  friend std::ostream& operator<<(std::ostream& out, const Case& each) { return out << each.plant; }
};

class PlantTest : public testing::TestWithParam<Case> {};

TEST_P(PlantTest, IsFoundOut) {
  const Case& looked_for = GetParam();
  FiberPool pool;
  std::set<std::string> found;
  const auto all = [&] { return std::ranges::includes(found, looked_for.invariants); };
  for (std::uint64_t seed = 1; seed <= plant_seeds_max && !all(); ++seed) {
    for (const Finding& each : run_seed(pool, {.seed = seed, .plant = looked_for.plant}).findings) {
      found.insert(each.invariant);
    }
  }
  EXPECT_THAT(found, testing::IsSupersetOf(looked_for.invariants));
}

INSTANTIATE_TEST_SUITE_P(
    All, PlantTest,
    testing::Values(
        Case{"dropped-verdict", {"forgotten", "left waiting"}},
        Case{"other-verdict", {"two verdicts"}},
        Case{"other-parts", {"two verdicts", "wrong parts"}}, Case{"wrong-parts", {"wrong parts"}},
        Case{"early-round", {"early verdict"}}, Case{"foreign-name", {"wrong names"}},
        Case{"forgotten-close", {"wrong subsets"}}, Case{"parts-by-job-rank", {"wrong parts"}},
        Case{"forgotten-waiter", {"forgotten"}}, Case{"lost-set", {"wrong value"}},
        Case{"lost-change", {"wrong change"}}, Case{"wrong-names", {"wrong names"}},
        Case{"false-agreement", {"false agreement"}},
        Case{"deaf-to-loss", {"not empty", "not lost", "not told", "to nobody"}},
        Case{"two-reasons", {"two reasons", "two lists"}}, Case{"two-answers", {"unasked"}},
        Case{"late-waker", {"late", "unexpected"}}, Case{"blind-to-labels", {"unlike calls"}},
        Case{"wrong-count", {"bad status"}}, Case{"loses-what-waits", {"unexpected"}},
        Case{"never-mustered", {"forgotten"}}, Case{"wrong-rank", {"wrong rank", "unexpected"}}),
    [](const auto& each) {
      std::string name = each.param.plant;
      std::erase(name, '-');
      return name;
    });

TEST(Plant, IsKnownByItsName) {
  EXPECT_EQ(make_plant("no-such-plant", 3), nullptr);
  EXPECT_THAT(plant_names(), HasSubstr("early-round: "));
}

}  // namespace
}  // namespace muster::sim
