/// \file
/// What users say of heartbeats and losses.
#pragma once

#include <string_view>

#include <muster/deadline.hpp>
#include <muster/result.hpp>
#include <muster/roster.hpp>

namespace muster {

/// Between limits::heartbeat_min and limits::heartbeat_max, or 0; else `invalid_argument`.
Result<void> check_heartbeat(Duration given);
/// "0.5", "0": seconds that check_heartbeat() takes; else `invalid_argument`.
Result<Duration> parse_heartbeat(std::string_view text);
/// "fail_job", "notify"; else `invalid_argument`.
Result<OnLoss> parse_on_loss(std::string_view text);

}  // namespace muster
