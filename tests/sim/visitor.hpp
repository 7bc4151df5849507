/// \file
/// Somebody who is no rank: looks at the roster and at keys while the job goes on.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include <muster/roster.hpp>

#include "rank_program.hpp"
#include "sim_caller.hpp"

namespace muster::sim {

/// Resource. run() is the body of a thread. Invariant `bad status`: what the server says of its job
/// can be read, names each rank once, and counts the living right.
class Visitor {
 public:
  Visitor(Stage& stage, std::uint32_t number, std::uint64_t seed)
      : stage_(stage), number_(number), dice_(seed) {}

  void run();

 private:
  void look(client::Caller& caller);
  std::optional<JobStatus> status(client::Caller& caller, TimePoint deadline);
  void check(const JobStatus& status);

  Stage& stage_;
  std::uint32_t number_;
  Dice dice_;
  Process process_;
};

}  // namespace muster::sim
