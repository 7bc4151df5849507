/// \file
/// How much earlier than its caller's deadline a request is answered.
#pragma once

#include <cstdint>

#include <muster/deadline.hpp>

namespace muster::server {

/// When the answer to a request that arrived at `now` with `left_ms` left must be on its way: the
/// deadline less a reserve of 50 ms, or of a quarter of what was left if that is less, so that the
/// answer still gets there. What is over limits::wait_max counts as that.
TimePoint answer_by(TimePoint now, std::uint32_t left_ms);

}  // namespace muster::server
