/// \file
/// The proof that all ranks of a group hold the same contract.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <muster/contract.hpp>
#include <muster/deadline.hpp>
#include <muster/group.hpp>

namespace muster {

/// Value. Nothing but agree() makes one: who holds an Agreement took part in an exchange in which
/// every rank of the group showed the same fingerprint.
class MUSTER_API Agreement {
 public:
  const Contract& contract() const { return contract_; }
  const Epoch& epoch() const { return epoch_; }
  const Digest& fingerprint() const { return fingerprint_; }
  const Identity& identity() const { return identity_; }
  /// Those who agreed, by their numbers in the job, as errors name them; ascending.
  std::span<const std::uint32_t> ranks() const { return ranks_; }

  friend MUSTER_API Result<Agreement> agree(Group& group, const Epoch& epoch,
                                            const Contract& contract, Deadline deadline);

 private:
  Agreement(Contract contract, const Epoch& epoch, const Digest& fingerprint, Identity identity,
            std::vector<std::uint32_t> ranks)
      : contract_(std::move(contract)),
        epoch_(epoch),
        fingerprint_(fingerprint),
        identity_(identity),
        ranks_(std::move(ranks)) {}

  Contract contract_;
  Epoch epoch_;
  Digest fingerprint_;
  Identity identity_;
  std::vector<std::uint32_t> ranks_;
};

/// Proves that every rank of `group` holds `contract`, in one exchange. A collective: every rank
/// calls it. Any number of threads, but one call at a time a group.
///
/// Errors: `contract_mismatch` with exit code 70 on every rank when any rank differs: it names each
/// side's ranks, by their numbers in the job, with the first 12 hex digits of their fingerprints,
/// and the entries that differ, but no value unless the entry is open; otherwise what the round's
/// verdict says. On any failure no Agreement exists, and the job should stop, with
/// that exit code.
MUSTER_API Result<Agreement> agree(Group& group, const Epoch& epoch, const Contract& contract,
                                   Deadline deadline = {});

}  // namespace muster
