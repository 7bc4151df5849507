/// \file
/// The whole command line, described once: what is parsed, what `--help` says, what the man pages
/// say.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "command.hpp"

namespace muster::tool {

/// `muster` with all its subcommands. Parsing it sets `command` to what the user asked for;
/// `program` is what stood behind "--" (see run.hpp).
std::unique_ptr<CLI::App> make_command_line(Command& command, std::vector<std::string> program);

}  // namespace muster::tool
