/// \file
/// `muster uid`: makes a unique id and serves its job.
#pragma once

#include <CLI/CLI.hpp>

#include "command.hpp"

namespace muster::tool {

void add_uid(CLI::App& app, Command& command);

}  // namespace muster::tool
