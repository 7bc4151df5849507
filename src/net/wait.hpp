/// \file
/// Waiting for a descriptor, or for time to pass, without being woken early by signals.
#pragma once

#include <poll.h>
#include <span>
#include <string>

#include <muster/deadline.hpp>

namespace muster::net {

/// Waits until poll() has something to say of `fd`: one of `events` (POLLIN, POLLOUT), an error, a
/// hang-up; returns that. 0 at `deadline`; one that has passed looks once.
short wait_ready(int fd, short events, TimePoint deadline);

/// The same for several at once: fills their `revents`. Whether there is any.
bool wait_any(std::span<pollfd> all, TimePoint deadline);

/// Waits until `when`.
void pause_until(TimePoint when);

/// What errno's number means: "Connection refused".
std::string reason(int error_number);

}  // namespace muster::net
