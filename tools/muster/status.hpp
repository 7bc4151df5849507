/// \file
/// `muster status`: who is in a job, and what it is stuck on.
#pragma once

#include <CLI/CLI.hpp>

#include "command.hpp"

namespace muster::tool {

void add_status(CLI::App& app, Command& command);

}  // namespace muster::tool
