/// \file
/// `muster kv`: a job's store, by hand.
#pragma once

#include <CLI/CLI.hpp>

#include "command.hpp"

namespace muster::tool {

void add_kv(CLI::App& app, Command& command);

}  // namespace muster::tool
