#include "command_line.hpp"

#include "config.hpp"
#include "kv.hpp"
#include "run.hpp"
#include "serve.hpp"
#include "status.hpp"
#include "uid.hpp"

namespace muster::tool {
namespace {

constexpr const char* footer = R"(
muster SUBCOMMAND --help says more. Every exit code: docs/reference/exit-codes.md
)";

}  // namespace

std::unique_ptr<CLI::App> make_command_line(Command& command, std::vector<std::string> program) {
  auto app = std::make_unique<CLI::App>(
      "Brings the processes of a distributed job together and keeps them honest", "muster");
  app->set_version_flag("--version", "muster " MUSTER_VERSION);
  app->footer(footer);
  add_run(*app, command, std::move(program));
  add_serve(*app, command);
  add_uid(*app, command);
  add_status(*app, command);
  add_kv(*app, command);
  add_config(*app, command);
  return app;
}

}  // namespace muster::tool
