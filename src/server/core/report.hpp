/// \file
/// What the server says of its job: the roster, what each rank waits in, the open rounds.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <muster/roster.hpp>

#include "server/core/core.hpp"
#include "server/core/membership.hpp"
#include "server/core/rounds.hpp"
#include "server/core/store_requests.hpp"

namespace muster::server {

/// Value. Looks into the parts of the core, which outlive it.
class Report {
 public:
  Report(const CoreOptions& options, const Membership& members, const Rounds& rounds,
         const StoreRequests& store, TimePoint started)
      : options_(options), members_(members), rounds_(rounds), store_(store), started_(started) {}

  /// "barrier 'epoch end' #17", "get 'addr/3'", "leave", or empty.
  std::string waiting_in(std::uint32_t rank) const;
  /// The same for those who miss the rank: "has not joined", "is in get 'addr/3'", "is in no call".
  std::string doing(std::uint32_t rank) const;

  RosterRow row(std::uint32_t rank, TimePoint now) const;
  /// All but the rows, the rounds and the seekers.
  JobStatus summary(TimePoint now) const;
  /// The rows from `first_rank` on, at most `rows_max`; with rank 0 also the
  /// rounds and the seekers.
  JobStatus page(std::uint32_t first_rank, std::uint32_t rows_max, TimePoint now) const;

 private:
  std::vector<Seeker> seekers(TimePoint now) const;

  const CoreOptions& options_;
  const Membership& members_;
  const Rounds& rounds_;
  const StoreRequests& store_;
  TimePoint started_;
};

}  // namespace muster::server
