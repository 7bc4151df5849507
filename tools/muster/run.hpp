/// \file
/// `muster run`: a whole job on this machine.
#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "command.hpp"

namespace muster::tool {

/// `program` is what stood behind "--" on the command line: CLI11 does not see it, so that no
/// option of the ranks' command is taken for one of ours.
void add_run(CLI::App& app, Command& command, std::vector<std::string> program);

}  // namespace muster::tool
