/// \file
/// `muster config`: fingerprints, tokens and schedules of a configuration, computed without a job.
#pragma once

#include <CLI/CLI.hpp>

#include "command.hpp"

namespace muster::tool {

void add_config(CLI::App& app, Command& command);

}  // namespace muster::tool
