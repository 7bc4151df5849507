/// \file
/// Timers on the loop.
#pragma once

#include <uv.h>

#include <muster/deadline.hpp>

#include "server/driver/connection.hpp"

namespace muster::server {

/// A timer that does not run yet; `data` is what its callback finds.
UvHandle<uv_timer_t> make_timer(uv_loop_t* loop, void* data);

/// Calls `then` once, `after` from now; one that runs already is set anew.
void start_timer(uv_timer_t* timer, uv_timer_cb then, Duration after);

}  // namespace muster::server
