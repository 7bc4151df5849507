// muster_man FOLDER PAGE...: writes the man pages of the tool into FOLDER. The build names the
// pages that it waits for; a subcommand that it does not name, or does not have, is an error here.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <string>
#include <vector>

#include "command_line.hpp"
#include "man_page.hpp"

int main(int argc, char** argv) {
  namespace fs = std::filesystem;
  if (argc < 2) {
    fmt::print(stderr, "muster_man: expected FOLDER PAGE...\n");
    return 2;
  }
  std::vector<fs::path> expected(argv + 2, argv + argc);
  fs::create_directories(argv[1]);

  muster::tool::Command unused;
  const auto app = muster::tool::make_command_line(unused, {});
  auto commands = app->get_subcommands([](const CLI::App*) { return true; });
  commands.push_back(app.get());
  for (const CLI::App* command : commands) {
    const fs::path path = fs::path(argv[1]) / (muster::man::page_name(*command) + ".1");
    if (std::erase(expected, path) == 0) {
      fmt::print(stderr, "muster_man: add {} to tools/man/CMakeLists.txt\n", path.string());
      return 1;
    }
    std::ofstream file(path);
    file << muster::man::page(*command, MUSTER_VERSION) << std::flush;
    if (!file) {
      fmt::print(stderr, "muster_man: cannot write {}\n", path.string());
      return 1;
    }
  }
  if (expected.empty()) return 0;
  fmt::print(stderr, "muster_man: there is no subcommand for {}\n", expected.front().string());
  return 1;
}
