/// \file
/// Bad ends of a round, in words.
#pragma once

#include <cstdint>
#include <string>

#include <muster/roster.hpp>

#include "server/core/group_rounds.hpp"
#include "server/core/round.hpp"

namespace muster::server {

/// Two calls differ; `before` are the ranks that are in the round already.
Failure mismatch(const Difference& difference, const Ranks& before, const Roster& roster);
/// `leavers` say goodbye while `inside` are in `round`.
Failure left_behind(const Ranks& leavers, const Ranks& inside, const Round& round,
                    const Roster& roster);
/// A member had left before the round began.
Failure has_left(const Ranks& leavers, const Roster& roster);
/// The time was over.
Failure missing(const Round& round, const Ranks& absent, const Roster& roster, const Doing& doing,
                TimePoint now);
/// The payloads are too much together; `newcomers` brought `total_bytes` about.
Failure too_large(const Round& round, const Ranks& newcomers, std::size_t total_bytes,
                  std::size_t bytes_max, const Roster& roster);

}  // namespace muster::server
