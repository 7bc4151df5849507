/// \file
/// The steps of a rank's program; its life is in rank_program.cpp.
#include <algorithm>
#include <fmt/format.h>

#include "describe.hpp"
#include "rank_program.hpp"

namespace muster::sim {
namespace {

using What = Step::What;

/// Two failures in a row of a job that does not come back: an application gives up.
constexpr int failures_max = 2;

std::string key_name(std::uint32_t rank, std::uint32_t key) {
  return fmt::format("key {}/{}", rank, key);
}

/// Some are large enough to be kept and sent another way.
std::string value_of(const std::string& key) {
  std::string value = "value of " + key;
  if (key.ends_with('2')) value.resize(5'000, '.');
  return value;
}

/// Longer or shorter than its neighbours', where that is allowed.
Value payload_of(std::uint32_t rank, const Step& step) {
  const bool varies =
      step.what != What::allgather && step.what != What::alltoall && step.what != What::broadcast;
  const std::size_t bytes = step.bytes + (varies ? rank : 0);
  Value payload(bytes, static_cast<std::byte>(rank * 31 + step.label.size()));
  if (!payload.empty()) payload.front() = static_cast<std::byte>(step.label.back());
  return payload;
}

/// One for each rank, of different sizes; of an alltoall of one size.
std::vector<Value> payloads_of(std::uint32_t size, const Step& step) {
  std::vector<Value> payloads;
  for (std::uint32_t rank = 0; rank < size; ++rank) payloads.push_back(payload_of(rank, step));
  return payloads;
}

Result<void> without_value(Result<Parts> parts) {
  if (!parts) return std::move(parts).error();
  return {};
}

Contract contract_of(bool drifted) {
  return Contract::Builder()
      .integer("cells", 1'000'000)
      .text("solver", drifted ? "gmres" : "bicgstab", Share::open)
      .boolean("periodic", true)
      .build()
      .value();
}

Deed deed_of(What what) {
  return is_collective(what) ? Deed::collective : Deed::store;
}

}  // namespace

bool RankProgram::do_step(Step step, std::uint32_t key) {
  const TimePoint deadline = stage_.scheduler.now() + step.deadline;
  const Result<void> result = is_collective(step.what)
                                  ? collective(step, deadline)
                                  : use_store(step, key_name(rank_, key), deadline);
  if (dead()) return false;
  say_outcome(step, result);
  stage_.ledger.returned(rank_, step.label, deadline);
  if (step.closes && step.group != all_ranks) subsets_[step.group].reset();
  if (result) {
    failures_ = 0;
    return true;
  }
  judge(deed_of(step.what), step.label, result.error());
  return carry_on(result.error());
}

bool RankProgram::carry_on(const Error& error) {
  if (error.code == Code::contract_mismatch || caller_->down()) return false;
  // The group is in step again after these.
  if (error.code == Code::rank_missing || error.code == Code::limit) return true;
  if (error.code == Code::not_found) return true;
  return ++failures_ < failures_max;
}

Result<Group*> RankProgram::group_of(const Step& step, Deadline deadline) {
  if (step.group == all_ranks) return world_.get();
  std::unique_ptr<Group>& subset = subsets_[step.group];
  if (!subset) {
    auto made = world_->subset(plan_.groups[step.group], deadline);
    if (!made) return std::move(made).error();
    subset = *std::move(made);
  }
  return subset.get();
}

Result<void> RankProgram::collective(const Step& step, TimePoint until) {
  const Deadline deadline = Deadline::at(until);
  const Result<Group*> in = group_of(step, deadline);
  if (!in) return in.error();
  Group& group = **in;
  const Value payload = payload_of(rank_, step);
  switch (step.what) {
    case What::agree:
      return agree_on(group, deadline);
    case What::barrier:
      return group.barrier(step.label, deadline);
    case What::broadcast: {
      auto got = group.broadcast(payload, step.peer, step.label, deadline);
      if (!got) return std::move(got).error();
      return {};
    }
    case What::scatter: {
      const std::vector<Value> each = payloads_of(group.size(), step);
      const std::vector<Bytes> payloads(each.begin(), each.end());
      auto got = group.scatter(payloads, step.peer, step.label, deadline);
      if (!got) return std::move(got).error();
      return {};
    }
    case What::alltoall: {
      std::vector<Value> each = payloads_of(group.size(), step);
      std::vector<Bytes> payloads;
      for (Value& one : each) {
        if (!one.empty()) one.back() = static_cast<std::byte>(rank_);  // from whom
        payloads.emplace_back(one);
      }
      return without_value(group.alltoall(payloads, step.label, deadline));
    }
    case What::gather:
      return without_value(group.gather(payload, step.peer, step.label, deadline));
    case What::allgather:
      return without_value(group.allgather(payload, step.label, deadline));
    case What::allgatherv:
      return without_value(group.allgatherv(payload, step.label, deadline));
    default:
      return without_value(
          group.exchange(step.label, sha256(as_bytes(step.label)), payload, deadline));
  }
}

Result<void> RankProgram::agree_on(Group& group, Deadline deadline) {
  const Contract contract = contract_of(mine_.trouble == Trouble::drift);
  auto agreement = agree(group, caller_->session().epoch, contract, deadline);
  if (!agreement) return std::move(agreement).error();
  bool same = true;
  for (std::uint32_t rank = 0; rank < group.size(); ++rank) {
    const RankPlan& other = plan_.ranks[group.rank_in_job(rank)];
    same = same && (other.trouble == Trouble::drift) == (mine_.trouble == Trouble::drift);
  }
  if (!dead()) stage_.ledger.agreed(rank_, same);
  return {};
}

Result<void> RankProgram::use_store(const Step& step, const std::string& own_key, TimePoint until) {
  if (step.what == What::add) return add(until);
  const std::string key = key_name(step.peer, step.key);
  if (step.what == What::get) return get(key, false, until);
  const std::string value = value_of(own_key);
  stage_.ledger.set_begins(own_key, value);
  const Result<void> stored = store_->set(own_key, as_bytes(value), Deadline::at(until));
  if (!stored || dead()) return stored;
  stage_.ledger.set_ends(own_key);
  return step.what == What::set ? stored : get(key, true, until);
}

Result<void> RankProgram::add(TimePoint until) {
  stage_.ledger.add_begins();
  const auto sum = store_->add(counter, 1, Deadline::at(until));
  if (!sum) return sum.error();
  if (!dead()) stage_.ledger.added(*sum);
  return {};
}

Result<void> RankProgram::get(const std::string& key, bool wait, TimePoint until) {
  const TimePoint begun = stage_.scheduler.now();
  const Deadline deadline = Deadline::at(until);
  const Result<Value> value = wait ? store_->wait_get(key, deadline) : store_->get(key, deadline);
  if (dead()) return {};
  stage_.ledger.got(key, begun, value ? nullptr : &value.error(), value ? as_text(*value) : "");
  if (value || (!wait && value.error().code == Code::not_found)) return {};
  return value.error();
}

/// Keys of its own, so that they are not mixed up with those of the script.
void RankProgram::help() {
  static const std::vector<What> choices = {What::set, What::get, What::wait_get, What::add};
  for (std::uint32_t i = 0; i < 4 && !dead(); ++i) {
    Step step;
    step.what = dice_.one_of(choices);
    step.label = fmt::format("helper's {}", name(step.what));
    step.peer = rank_;
    step.key = 100 + i;
    step.deadline = plan_.calm ? Duration{std::chrono::seconds{20}}
                               : dice_.between(Duration{}, Duration{std::chrono::seconds{1}});
    const TimePoint deadline = stage_.scheduler.now() + step.deadline;
    const Result<void> result = use_store(step, key_name(rank_, step.key), deadline);
    if (dead()) break;
    say_outcome(step, result);
    stage_.ledger.returned(rank_, step.label, deadline);
    if (!result) break;
    stage_.scheduler.sleep(dice_.between(Duration{}, Duration{std::chrono::milliseconds{5}}));
  }
  helping_ = false;
  stage_.scheduler.wake(*main_);
}

void RankProgram::say_outcome(const Step& step, const Result<void>& result) const {
  if (!stage_.trace.on()) return;
  say(fmt::format("{}: {}", step.label, result ? "ok" : describe(result.error())));
}

}  // namespace muster::sim
