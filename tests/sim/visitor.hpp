/// \file
/// Somebody who is no rank: looks at the roster, uses the store and watches it while the job goes
/// on.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include <muster/roster.hpp>
#include <muster/store.hpp>

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
  void watch(Store& store);
  void get(Store& store);
  void append(Store& store);
  void swap(Store& store);
  Duration patience() {
    return dice_.between(Duration{}, Duration{std::chrono::milliseconds{500}});
  }

  Stage& stage_;
  std::uint32_t number_;
  Dice dice_;
  Process process_;
  std::uint64_t turn_ = 0;  ///< what it believes to be under the key of swaps
};

}  // namespace muster::sim
