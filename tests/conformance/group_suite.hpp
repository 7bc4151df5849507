/// \file
/// What every Group must do, whatever carries it. To insert an implementation: link
/// group_conformance, give a Ranks, and
///
///     INSTANTIATE_TEST_SUITE_P(Name, BasicGroupSuite, ...);
///     INSTANTIATE_TEST_SUITE_P(Name, GroupSuite, testing::Values(RanksOver{"Name", make}),
///                              testing::PrintToStringParamName());
///     INSTANTIATE_TEST_SUITE_P(Name, MissingRankSuite, ...);  // if it can tell who is missing
#pragma once

#include <cstdint>
#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <ostream>
#include <string>

#include <muster/group.hpp>

namespace muster::conformance {

/// Resource. How ranks run: as threads over real links, as fibers in a simulation.
class Ranks {
 public:
  virtual ~Ranks() = default;

  /// A job of its own of `size` ranks: runs `body` on each, all at the same time, each with its
  /// handle of the world group, and returns when all have ended. No rank leaves before.
  virtual void run(std::uint32_t size, const std::function<void(Group&)>& body) = 0;

  /// From a body: runs `also` beside it, as another thread of the same rank. run() waits for it.
  virtual void beside(std::function<void()> also) = 0;

  /// From a body: waits until `condition` holds, which others make true. It may be called on any
  /// thread, so that it should look at atomics only.
  virtual void wait_until(const std::function<bool()>& condition) = 0;
};

/// Which group the suite takes for its subject.
enum class Of : std::uint8_t {
  world,   ///< all ranks of a job
  subset,  ///< some of a larger one, in another order
};

/// Value.
struct RanksOver {
  std::string name;  ///< letters and digits
  Of of = Of::world;
  std::function<std::unique_ptr<Ranks>()> make;

  friend std::ostream& operator<<(std::ostream& out, const RanksOver& over) {
    return out << over.name;
  }
};

/// What a group can do that has barrier and allgather only.
class BasicGroupSuite : public testing::TestWithParam<RanksOver> {
 protected:
  /// As Ranks::run, with the group that the parameter asks for.
  void run(std::uint32_t size, const std::function<void(Group&)>& body);
  auto runner() {
    return [this](std::uint32_t size, const std::function<void(Group&)>& body) { run(size, body); };
  }
  /// The group's rank, as a verdict names it.
  std::uint32_t named(std::uint32_t rank, std::uint32_t size) const {
    return GetParam().of == Of::world ? rank : size - rank;
  }

  std::unique_ptr<Ranks> ranks_ = GetParam().make();
};

/// The rest. Whoever is inserted here is inserted there, too.
class GroupSuite : public BasicGroupSuite {};

/// Of a group that tells who is missing: ranks that come late, or never.
class MissingRankSuite : public BasicGroupSuite {};

}  // namespace muster::conformance
