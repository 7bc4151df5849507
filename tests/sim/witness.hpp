/// \file
/// A group that tells the ledger what is done with it.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include <muster/group.hpp>

#include "ledger.hpp"
#include "sim_caller.hpp"

namespace muster::sim {

/// Resource; as the group behind it.
class Witness final : public Group {
 public:
  Witness(std::unique_ptr<Group> group, Ledger& ledger, const Process& process)
      : group_(std::move(group)), ledger_(ledger), process_(process) {}

  Identity identity() const override { return group_->identity(); }
  TimePoint now() const override { return group_->now(); }
  TimePoint resolve(Deadline deadline) const override { return group_->resolve(deadline); }
  std::uint32_t rank() const override { return group_->rank(); }
  std::uint32_t size() const override { return group_->size(); }

  Result<Parts> arrive(const Call& call, Deadline deadline) override {
    const TimePoint until = resolve(deadline);
    const std::uint64_t round = ledger_.round_begins(rank(), call);
    auto result = group_->arrive(call, Deadline::at(until));
    if (process_.crashed()) return result;  // the dead tell nothing
    ledger_.round_ends(rank(), round, call, result);
    ledger_.returned(rank(), name(call.kind), until);
    return result;
  }

 private:
  std::unique_ptr<Group> group_;
  Ledger& ledger_;
  const Process& process_;
};

}  // namespace muster::sim
