/// \file
/// How a subcommand hangs on the command line.
#pragma once

#include <functional>

namespace muster::tool {

/// What the user asked for; returns the exit code. A subcommand's add_NAME(app, command) describes
/// its options to CLI11 and sets `command` when it was the one chosen; main() then runs it.
using Command = std::function<int()>;

}  // namespace muster::tool
