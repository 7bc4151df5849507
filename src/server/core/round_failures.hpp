/// \file
/// Bad ends of a round, in words.
#pragma once

#include <cstdint>
#include <string>

#include <muster/roster.hpp>

#include "server/core/group_rounds.hpp"
#include "server/core/round.hpp"

namespace muster::server {

/// How a member goes on purpose.
enum class Going : std::uint8_t {
  leaves,  ///< the job, and with it all its groups
  closes,  ///< this group alone
};

/// Two calls differ; `before` are the ranks that are in the round already.
Failure mismatch(const Difference& difference, const Ranks& before, const Roster& roster);
/// `leavers` say goodbye while `inside` are in `round`.
Failure left_behind(const Ranks& leavers, Going how, const Ranks& inside, const Round& round,
                    const Roster& roster);
/// A member had left before the round began.
Failure has_left(const Ranks& leavers, Going how, const Roster& roster);
/// These ranks, one at least, are not there any more as a group begins that they are members of.
Failure gone_before(const Ranks& gone, const Roster& roster);
/// `newcomers` open the group `id` with other members than those who opened it before.
Failure other_members(std::uint64_t id, const Members& known, const Ranks& newcomers,
                      const Members& others, const Roster& roster);
/// The time was over; `size` is the group's.
Failure missing(const Round& round, const Ranks& absent, std::uint32_t size, const Roster& roster,
                const Doing& doing, TimePoint now);
/// The payloads are too much together; `newcomers` brought `total_bytes` about.
Failure too_large(const Round& round, const Ranks& newcomers, std::size_t total_bytes,
                  std::size_t bytes_max, const Roster& roster);

}  // namespace muster::server
