#include <algorithm>
#include <cstdio>
#include <exception>
#include <fmt/format.h>
#include <sstream>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "base/standard_descriptors.hpp"
#include "command_line.hpp"
#include "exit_codes.hpp"
#include "serving.hpp"
#include "standard_output.hpp"
#include "stub.hpp"

namespace {

using namespace muster::tool;

/// `muster run ... -- PROGRAM`: cuts the program off.
std::vector<std::string> cut_program(std::vector<std::string>& arguments) {
  if (arguments.empty() || arguments.front() != "run") return {};
  const auto mark = std::find(arguments.begin(), arguments.end(), "--");
  if (mark == arguments.end()) return {};
  std::vector<std::string> program(mark + 1, arguments.end());
  arguments.erase(mark, arguments.end());
  return program;
}

/// Whether the first word may be a subcommand, or is an option.
bool known_subcommand(const CLI::App& app, const std::vector<std::string>& arguments) {
  if (arguments.empty()) return false;
  if (arguments.front().starts_with('-')) return true;
  const auto named = [&](const CLI::App* sub) { return sub->get_name() == arguments.front(); };
  return !app.get_subcommands(named).empty();
}

int unknown_subcommand(const CLI::App& app, const std::vector<std::string>& arguments) {
  std::string names;
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; })) {
    names += (names.empty() ? "" : ", ") + sub->get_name();
  }
  const std::string problem = arguments.empty()
                                  ? "the subcommand is missing"
                                  : fmt::format("'{}' is no subcommand", arguments.front());
  fmt::print(stderr, "muster: {}, expected one of {}; see muster --help\n", problem, names);
  return exit_usage;
}

/// One line of reason for a command line that was not understood.
int usage_error(const CLI::App& app, const CLI::ParseError& error) {
  const auto chosen = app.get_subcommands();
  const std::string name = chosen.empty() ? "muster" : "muster " + chosen.front()->get_name();
  fmt::print(stderr, "{}: {}; see {} --help\n", name, error.what(), name);
  return exit_usage;
}

int run_command_line(std::vector<std::string> arguments) {
  Command command;
  const auto app = make_command_line(command, cut_program(arguments));
  if (!known_subcommand(*app, arguments)) return unknown_subcommand(*app, arguments);
  try {
    std::reverse(arguments.begin(), arguments.end());  // as CLI11 wants a vector
    app->parse(std::move(arguments));
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() != 0) return usage_error(*app, error);
    std::ostringstream help;
    const int exit_code = app->exit(error, help);
    put(help.str());
    return exit_code;
  }
  return command ? command() : unknown_subcommand(*app, {});
}

/// A result that nobody got is no success.
int written(int exit_code) {
  const auto flushed = flush_output();
  if (flushed) return exit_code;
  const int failed = complain(flushed.error());
  return exit_code == exit_ok ? failed : exit_code;
}

}  // namespace

int main(int argc, char** argv) {
  if (const int exit_code = become_rank(argc, argv); exit_code >= 0) return exit_code;
  muster::hold_standard_descriptors();
  try {
    return written(run_command_line({argv + 1, argv + argc}));
  } catch (const std::exception& error) {
    fmt::print(stderr, "muster: {}\n", error.what());
    return exit_failed;
  }
}
