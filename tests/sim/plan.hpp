/// \file
/// What a seed stands for: how large a job is, what its ranks do, and what goes wrong.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <muster/deadline.hpp>
#include <muster/security.hpp>

#include "network.hpp"
#include "server/core/core.hpp"

namespace muster::sim {

/// Of a collective, if nobody is meant to miss it.
inline constexpr Duration long_deadline = std::chrono::seconds{60};

/// In place of a subset's number: the group of all ranks.
inline constexpr std::size_t all_ranks = static_cast<std::size_t>(-1);

/// The key of the job's counter.
inline constexpr const char* counter = "counter";

/// Value. One thing that every rank of its group does at this place of its program.
struct Step {
  enum class What : std::uint8_t {
    barrier,
    broadcast,
    gather,
    scatter,
    alltoall,
    allgather,
    allgatherv,
    exchange,
    agree,
    set,       ///< a key of its own
    get,       ///< a key of `peer`, set or not
    wait_get,  ///< a key of `peer`, which sets it in the same step or before
    add,       ///< one, to the job's counter
  };
  What what = What::barrier;
  std::size_t group = all_ranks;  ///< or one of Plan::groups, of a collective
  bool closes = false;  ///< the subset's handle ends then; whoever needs it again makes another
  std::string label;
  std::uint32_t peer = 0;  ///< the root, as a rank of the group, or whose key
  std::uint32_t key = 0;
  std::size_t bytes = 0;
  Duration deadline{};
};
bool is_collective(Step::What what);

/// What one rank does wrong.
enum class Trouble : std::uint8_t {
  none,
  absent,  ///< never starts
  drift,   ///< holds another contract
  wrong_call,
  skips,  ///< leaves a collective out
  crash,
  fails,      ///< says so
  leaves,     ///< before the others are done
  bad_size,   ///< believes in another size
  duplicate,  ///< claims the next one's rank
  sleeps,     ///< stands still for a while
};

/// In what a wrong call differs from the others'.
enum class Wrong : std::uint8_t { kind, label, root, size };

/// Value.
struct RankPlan {
  Duration start{};
  Duration join_deadline{};
  Duration pause_max{};  ///< before each step: up to that
  Trouble trouble = Trouble::none;
  std::size_t trouble_at = 0;  ///< 0: before it joins; then come the steps, then leaving
  Duration trouble_after{};    ///< a crash: so long after the step has begun; a sleep: so long
  Wrong wrong = Wrong::kind;
  bool host_dies = false;  ///< a crash that nobody's kernel tells of
  Duration noticed_after{};
  bool returns = false;     ///< a crash: a new process claims the rank again
  bool has_helper = false;  ///< a second thread that uses the store
  bool until_admitted = false;
  bool is_assigned = false;  ///< its rank, by the server: its host comes where its rank does
  bool leaves_at_once = false;
  Route route;
};

/// Value. Something that happens to a rank's link.
struct LinkFault {
  enum class Kind : std::uint8_t { stall_up, stall_down, stall_both, cut };
  Kind kind = Kind::cut;
  std::uint32_t rank = 0;
  Duration at{};
  Duration client_notices{};
  Duration server_notices{};
};

/// Value. What happens to the server.
struct ServerFault {
  enum class Kind : std::uint8_t {
    crash,
    stop,
    doom,
    pause,  ///< its process stands still for a while, as after SIGSTOP, and goes on
  };
  Kind kind = Kind::crash;
  Duration at{};
  Duration noticed_after{};  ///< a crash
  Duration lasts{};          ///< a pause
};

/// Value.
struct Plan {
  std::uint64_t seed = 0;
  std::uint32_t size = 1;
  /// Subsets, which may overlap and be alike: ranks of the job, by their ranks in it.
  std::vector<std::vector<std::uint32_t>> groups;
  std::vector<Step> script;
  std::vector<RankPlan> ranks;
  Duration server_start{};
  Duration lateness_max{};
  Duration heartbeat{};  ///< 0: none, and then the network tells of everything in the end
  std::size_t round_bytes_max = 0;
  server::OnLoss on_loss = server::OnLoss::fail_job;
  std::vector<LinkFault> link_faults;
  std::optional<ServerFault> server_fault;
  bool has_secret = false;
  std::uint32_t strangers = 0;  ///< peers that send noise
  std::uint32_t visitors = 0;   ///< peers that look on
  Duration heal_at{};
  Duration leave_deadline{};

  /// Links and server work, and every deadline is longer than anything can take: what fails, fails
  /// because of the one rank in trouble, or because a round is over the bound.
  bool calm = false;
};

Plan make_plan(std::uint64_t seed);
/// What everybody holds but the strangers; nothing if the job has none.
std::optional<Secret> secret_of(const Plan& plan);
bool has_part(const Plan& plan, const Step& step, std::uint32_t rank);
std::uint32_t group_size(const Plan& plan, const Step& step);
/// One paragraph, for a trace.
std::string describe(const Plan& plan);

const char* name(Step::What what);
const char* name(Trouble trouble);

}  // namespace muster::sim
