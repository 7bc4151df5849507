/// \file
/// One rank of a simulated job: it joins, does its steps, and leaves, as its plan says.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <muster/group.hpp>
#include <muster/store.hpp>

#include "expectation.hpp"
#include "ledger.hpp"
#include "plan.hpp"
#include "sim_caller.hpp"
#include "trace.hpp"

namespace muster::sim {

/// What all ranks of one run share.
struct Stage {
  const Plan& plan;
  Scheduler& scheduler;
  Network& network;
  const Trace& trace;
  Findings& findings;
  Ledger& ledger;
  Duration oversleeps{};  ///< a planted fault of all callers
};

/// Resource. run() is the body of its first thread; everything else is for the world that watches.
/// Invariants: `unexpected`: in a calm run nothing fails but by what the plan has in store;
/// `admitted twice`: a rank that was in once can't be taken by another process.
class RankProgram {
 public:
  RankProgram(Stage& stage, std::uint32_t rank, std::uint64_t seed);

  void run();

  Process& process() { return process_; }
  /// Null while there is none.
  Link* link() const { return caller_ ? caller_->link() : nullptr; }
  bool joined() const { return joined_; }

 private:
  bool join();
  Result<void> admitted(TimePoint deadline);
  SimCaller::Options link_options() const;
  void work();
  void spoil(Step& step) const;
  void help();
  void leave();
  void crash();
  void return_from_the_dead();

  /// Both return false when it is better to leave now.
  bool do_step(Step step, std::uint32_t key);
  bool carry_on(const Error& error);
  Result<void> collective(const Step& step, TimePoint until);
  /// The step's group; a subset is made when it is first needed.
  Result<Group*> group_of(const Step& step, Deadline deadline);
  Result<void> agree_on(Group& group, Deadline deadline);
  Result<void> use_store(const Step& step, const std::string& own_key, TimePoint until);
  Result<void> add(TimePoint until);
  Result<void> get(const std::string& key, bool wait, TimePoint until);

  /// What befalls it at this place: 0 is before it joins, then come the steps, then leaving. False:
  /// it is over.
  bool trouble_at(std::size_t place);
  void judge(Deed deed, std::string_view what, const Error& error);
  bool dead() const { return process_.crashed() || stage_.scheduler.abandoned(); }
  void say(const std::string& what) const;
  void say_outcome(const Step& step, const Result<void>& result) const;

  Stage& stage_;
  const Plan& plan_;
  const RankPlan& mine_;
  const std::uint32_t rank_;
  Dice dice_;
  Process process_;
  Process second_process_;
  std::shared_ptr<SimCaller> caller_;
  std::unique_ptr<Group> world_;
  std::vector<std::unique_ptr<Group>> subsets_;  ///< of the plan's groups; null: not made
  std::unique_ptr<Store> store_;
  Scheduler::Thread* main_ = nullptr;
  int failures_ = 0;
  bool joined_ = false;
  bool helping_ = false;
};

}  // namespace muster::sim
