/// \file
/// A group that tells the ledger what is done with it.
#pragma once

#include <cstdint>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include <muster/group.hpp>

#include "ledger.hpp"
#include "sim_caller.hpp"

namespace muster::sim {

/// Resource; as the group behind it, on one fiber at a time.
class Witness final : public Group {
 public:
  Witness(std::unique_ptr<Group> group, Ledger::GroupName name, Ledger& ledger,
          const Process& process)
      : group_(std::move(group)), name_(std::move(name)), ledger_(ledger), process_(process) {}

  Identity identity() const override { return group_->identity(); }
  TimePoint now() const override { return group_->now(); }
  TimePoint resolve(Deadline deadline) const override { return group_->resolve(deadline); }
  std::uint32_t rank() const override { return group_->rank(); }
  std::uint32_t size() const override { return group_->size(); }
  std::uint32_t rank_in_job(std::uint32_t rank) const override { return name_.members[rank]; }

  /// It is told apart by its parent, its members, and how many there were of these.
  Result<std::unique_ptr<Group>> subset(std::span<const std::uint32_t> members,
                                        Deadline deadline) override {
    Ledger::GroupName name;
    for (const std::uint32_t rank : members) name.members.push_back(name_.members.at(rank));
    name.text = fmt::format("{}/{}", name_.text, fmt::join(name.members, ","));
    name.text += fmt::format("#{}", made_[name.text]++);
    auto subset = group_->subset(members, deadline);
    if (!subset) return subset;
    return std::unique_ptr<Group>(
        new Witness(*std::move(subset), std::move(name), ledger_, process_));
  }

  Result<Parts> arrive(const Call& call, Deadline deadline) override {
    const TimePoint until = resolve(deadline);
    const auto round = ledger_.round_begins(name_, rank(), call);
    auto result = group_->arrive(call, Deadline::at(until));
    if (process_.crashed()) return result;  // the dead tell nothing
    ledger_.round_ends(name_, rank(), round, call, result);
    ledger_.returned(name_.members[rank()], muster::name(call.kind), until);
    return result;
  }

 private:
  std::unique_ptr<Group> group_;
  Ledger::GroupName name_;
  Ledger& ledger_;
  const Process& process_;
  std::map<std::string, int> made_;
};

}  // namespace muster::sim
