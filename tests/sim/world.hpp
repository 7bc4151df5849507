/// \file
/// One seed, from the first process's start until nothing can happen any more.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fiber.hpp"
#include "findings.hpp"

namespace muster::sim {

/// Value.
struct RunOptions {
  std::uint64_t seed = 0;
  bool trace = false;
  std::string plant;  ///< empty: none
};

/// Value.
struct RunResult {
  std::vector<Finding> findings;  ///< in the order of their discovery
  std::uint64_t collectives = 0;  ///< rounds that ended well
  std::uint64_t events = 0;
};

/// Any number of times with one pool, one after the other.
RunResult run_seed(FiberPool& pool, const RunOptions& options);

}  // namespace muster::sim
