/// \file
/// Sockets that systemd, or something that does as it does, has opened for this process:
/// sd_listen_fds(3).
#pragma once

#include <optional>

#include <muster/result.hpp>

namespace muster::net {

/// The descriptor that LISTEN_PID and LISTEN_FDS hand to this very process; nothing if they are not
/// set, or are another process's. It is close-on-exec from here on, and stays the caller's matter.
///
/// Errors: `invalid_argument`, naming the variable, if it is no number, if there is more than one
/// socket, or if it is none that a job can be served on.
Result<std::optional<int>> activated_socket();

}  // namespace muster::net
