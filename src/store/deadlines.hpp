/// \file
/// How long a store over a link waits for its requests.
#pragma once

#include <muster/deadline.hpp>

#include "client/core/caller.hpp"

namespace muster {

/// `deadline` as an absolute time; a default one is the link's operation time-out.
TimePoint resolve(const client::Caller& caller, Deadline deadline, TimePoint now);

/// When to give up on a request that the server answers at once. With a deadline that has passed it
/// is still made, and waited for as long as an answer may take to get here.
TimePoint give_up(const client::Caller& caller, Deadline deadline);

}  // namespace muster
