/// \file
/// What a rank says to its server about itself and its job.
#pragma once

#include <string_view>

#include "client/core/caller.hpp"

namespace muster::client {

/// Waits until all ranks are in. The server ends the wait a little before the deadline, with the
/// names of who is missing.
Result<void> wait_for_all(Caller& caller, TimePoint deadline);

/// Ends the job for all ranks.
Result<void> fail_job(Caller& caller, std::string_view reason, int exit_code, TimePoint deadline);

/// Says goodbye, and waits until all others have left. A server that is gone has nobody left to
/// wait for: that is no error.
Result<void> say_goodbye(Caller& caller, TimePoint deadline);

}  // namespace muster::client
