/// \file
/// poll() on one socket until a deadline.
#pragma once

#include <muster/deadline.hpp>

namespace muster::client {

/// What happened on `fd`, as poll's revents; 0 at the deadline or after a signal. `events` as
/// poll's.
short poll_until(int fd, short events, TimePoint deadline);

}  // namespace muster::client
