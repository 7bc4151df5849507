/// \file
/// `muster serve`: the server of a job whose ranks are started by something else.
#pragma once

#include <CLI/CLI.hpp>

#include "command.hpp"

namespace muster::tool {

void add_serve(CLI::App& app, Command& command);

}  // namespace muster::tool
