/// \file
/// Sockets that are bound already and wait for the join that serves on them.
///
/// The one thing in this layer that is of the process and not of a job: a unique id is a value, and
/// goes through code that knows nothing of the socket behind it.
#pragma once

#include <muster/ids.hpp>

#include "net/fd.hpp"

namespace muster {

/// Keeps `listener` for the job of that incarnation. Any thread.
void keep_listener(Incarnation whose, net::Fd listener);

/// What was kept, if this process, or the one that it was forked from, did; else none. Once.
net::Fd take_kept_listener(Incarnation whose);

/// Closes a forked child's copy of what its parent keeps: a child that does not serve must not hold
/// the job's port open. Nothing in the process that made the id.
void drop_inherited_listener(Incarnation whose);

}  // namespace muster
