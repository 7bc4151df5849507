#include "rank_program.hpp"

#include <fmt/format.h>
#include <numeric>

#include "base/limits.hpp"
#include "describe.hpp"
#include "expectation.hpp"
#include "group/server_group.hpp"
#include "store/remote_store.hpp"
#include "wire/notices.hpp"
#include "witness.hpp"

namespace muster::sim {

using What = Step::What;

RankProgram::RankProgram(Stage& stage, std::uint32_t rank, std::uint64_t seed)
    : stage_(stage),
      plan_(stage.plan),
      mine_(plan_.ranks[rank]),
      rank_(rank),
      dice_(seed),
      subsets_(plan_.groups.size()) {}

void RankProgram::run() {
  main_ = &stage_.scheduler.current();
  if (!trouble_at(0) || !join()) {
    caller_.reset();
    return;
  }
  if (mine_.has_helper) {
    helping_ = true;
    stage_.scheduler.spawn(fmt::format("helper of rank {}", rank_), stage_.scheduler.now(),
                           [this] { help(); });
  }
  work();
  while (helping_ && !stage_.scheduler.abandoned()) stage_.scheduler.wait(TimePoint::max());
  if (stage_.scheduler.abandoned()) return;
  subsets_.clear();
  world_.reset();
  store_.reset();
  caller_.reset();
}

SimCaller::Options RankProgram::link_options() const {
  SimCaller::Options options;
  options.hello.role = mine_.is_assigned ? wire::Role::assigned : wire::Role::rank;
  options.secret = secret_of(plan_);
  options.hello.job = "simulated";
  options.hello.size = plan_.size + (mine_.trouble == Trouble::bad_size ? 1 : 0);
  options.hello.pid = 1000 + rank_;
  options.hello.host = fmt::format("node{:03}", rank_);  // in the order of the ranks
  const bool other = mine_.trouble == Trouble::duplicate;
  if (!mine_.is_assigned) options.hello.ranks = {{other ? (rank_ + 1) % plan_.size : rank_, 1}};
  options.route = mine_.route;
  options.oversleeps = stage_.oversleeps;
  return options;
}

bool RankProgram::join() {
  const TimePoint deadline = stage_.scheduler.now() + mine_.join_deadline;
  const Result<void> in = admitted(deadline);
  if (dead()) return false;
  // Connecting is a round trip, which is let go on past the deadline here.
  const Duration round_trip = mine_.route.to_client.delay_max + mine_.route.to_server.delay_max;
  stage_.ledger.returned(rank_, "join", deadline + round_trip);
  say(in ? "has joined" : "can't join: " + describe(in.error()));
  if (!in) {
    stage_.ledger.not_gathered(rank_, in.error());
    judge(Deed::join, "join", in.error());
    return false;
  }
  joined_ = true;
  if (mine_.is_assigned && caller_->session().rank != rank_) {
    stage_.findings.found("wrong rank",
                          fmt::format("rank {} is assigned {}", rank_, caller_->session().rank));
  }
  Ledger::GroupName world{"world", std::vector<std::uint32_t>(plan_.size)};
  std::iota(world.members.begin(), world.members.end(), 0U);
  world_ = std::make_unique<Witness>(make_world_group(caller_), std::move(world), stage_.ledger,
                                     process_);
  store_ = make_remote_store(caller_);
  return true;
}

Result<void> RankProgram::admitted(TimePoint deadline) {
  auto link = SimCaller::connect(stage_.network, process_, link_options(), deadline);
  if (!link) return std::move(link).error();
  caller_ = *std::move(link);
  if (mine_.until_admitted) {
    caller_->forget(client::muster_ticket);
    return {};
  }
  auto reply =
      caller_->wait(client::muster_ticket, client::with_grace(stage_.scheduler.now(), deadline));
  if (!reply) return std::move(reply).error();
  if (!reply->failed) return {};
  return wire::to_error(wire::decode_failure(reply->body).value(), Phase::muster);
}

/// In the way that is planned, if the step has it; otherwise it is another collective.
void RankProgram::spoil(Step& step) const {
  const bool rooted =
      step.what == What::broadcast || step.what == What::gather || step.what == What::scatter;
  if (mine_.wrong == Wrong::label && is_collective(step.what) && step.what != What::agree) {
    step.label += ", wrong";
  } else if (mine_.wrong == Wrong::root && rooted && group_size(plan_, step) > 1) {
    step.peer = (step.peer + 1) % group_size(plan_, step);
  } else if (mine_.wrong == Wrong::size &&
             (step.what == What::allgather || step.what == What::alltoall)) {
    ++step.bytes;
  } else {
    step.what = step.what == What::barrier ? What::allgatherv : What::barrier;
    step.label = "wrong";
  }
}

void RankProgram::work() {
  for (std::size_t i = 0; i < plan_.script.size(); ++i) {
    const Step& planned = plan_.script[i];
    stage_.scheduler.sleep(dice_.between(Duration{}, mine_.pause_max));
    if (dead() || !trouble_at(i + 1)) return;
    const bool here = mine_.trouble_at == i + 1;
    if (here && mine_.trouble == Trouble::leaves) break;
    if (here && mine_.trouble == Trouble::skips) continue;
    if (!has_part(plan_, planned, rank_)) continue;
    Step step = planned;
    if (here && mine_.trouble == Trouble::wrong_call) {
      spoil(step);
      step.deadline = plan_.calm ? long_deadline : step.deadline;
    }
    if (!do_step(std::move(step), planned.key)) break;
  }
  if (!dead() && trouble_at(plan_.script.size() + 1)) leave();
}

bool RankProgram::trouble_at(std::size_t place) {
  if (place != mine_.trouble_at) return true;
  if (mine_.trouble == Trouble::crash) {
    stage_.scheduler.at(stage_.scheduler.now() + mine_.trouble_after, [this] { crash(); });
  }
  if (mine_.trouble == Trouble::sleeps) stage_.scheduler.sleep(mine_.trouble_after);
  if (mine_.trouble != Trouble::fails || !caller_) return true;
  say("fails");
  const wire::FailRequest request{.exit_code = 3, .reason = "planned"};
  // Whether anybody heard is the server's matter.
  static_cast<void>(client::call(*caller_, client::frame(wire::Type::fail, request),
                                 stage_.scheduler.now() + std::chrono::seconds{1}));
  return false;
}

void RankProgram::crash() {
  say(mine_.host_dies ? "its host dies" : "crashes");
  process_.crash(mine_.host_dies, mine_.noticed_after);
  if (!mine_.returns) return;
  stage_.scheduler.spawn(fmt::format("rank {}, returned", rank_),
                         stage_.scheduler.now() + mine_.noticed_after,
                         [this] { return_from_the_dead(); });
}

/// A supervisor has started the process again: it may come in only if the first never did.
void RankProgram::return_from_the_dead() {
  const TimePoint deadline = stage_.scheduler.now() + mine_.join_deadline;
  const auto again = SimCaller::connect(stage_.network, second_process_, link_options(), deadline);
  say(again ? "is in, the second time" : "returns: " + describe(again.error()));
  if (again && joined_) {
    stage_.findings.found("admitted twice", fmt::format("rank {}", rank_));
  }
}

void RankProgram::leave() {
  subsets_.clear();
  const TimePoint now = stage_.scheduler.now();
  const TimePoint deadline = now + plan_.leave_deadline;
  const wire::LeaveRequest request{.wait_ms = client::left_ms(now, deadline),
                                   .now = mine_.leaves_at_once};
  auto answer = client::call(*caller_, client::frame(wire::Type::leave, request),
                             client::with_grace(now, deadline), Phase::leave);
  if (dead()) return;
  say(answer ? "has left" : "has left: " + describe(answer.error()));
  stage_.ledger.returned(rank_, "leave", deadline);
  if (!answer) judge(Deed::leave, "leave", answer.error());
}

void RankProgram::judge(Deed deed, std::string_view what, const Error& error) {
  if (!plan_.calm) return;
  if (const auto why = unexpected(plan_, deed, error)) {
    stage_.findings.found("unexpected", fmt::format("rank {} in {}: {}", rank_, what, *why));
  }
}

void RankProgram::say(const std::string& what) const {
  if (stage_.trace.on()) stage_.trace.say(fmt::format("rank {}", rank_), what);
}

}  // namespace muster::sim
