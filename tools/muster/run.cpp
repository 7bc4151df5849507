#include "run.hpp"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <memory>

#include "base/keyed.hpp"
#include "base/limits.hpp"
#include "exit_codes.hpp"
#include "job/protect.hpp"
#include "job_file.hpp"
#include "launch.hpp"
#include "memory_file.hpp"
#include "seconds.hpp"
#include "serving.hpp"
#include "socket_folder.hpp"
#include "stub.hpp"

namespace muster::tool {
namespace {

constexpr const char* footer = R"(
COMMAND and its arguments stand behind --: muster run -n 4 -- ./train --epochs 10

Each rank finds its place in MUSTER_URL, MUSTER_RANK, MUSTER_SIZE and so on; rank 0 reads the
standard input, the others nothing. When one fails, the others have 5 s (--grace) to report and end
by themselves, then they get SIGTERM, and after as long again SIGKILL. All die with muster run. A
secret (MUSTER_SECRET_FILE, _FD) or certificates (MUSTER_TLS_*) are the ranks', too.

Examples:
  muster run -n 4 -- ./train --epochs 10
  muster run -n 64 --no-prefix -- hostname
  muster run -n 2 --join-timeout 30 --job demo -- python3 worker.py

Exit codes:
  0    every rank ended with 0
  70   some rank ended with 70: the ranks do not agree
  else the status of the rank that failed first, 128 + signal if a signal ended it
  2    usage; 126, 127 the command cannot be executed, is not there
  128 + signal, if a signal ended muster run (130: Ctrl-C)
)";

struct RunOptions {
  std::uint32_t size = 0;
  JobNames names;
  JobRules rules;
  std::string join_timeout;
  std::string operation_timeout;
  std::string grace = "5";
  bool no_prefix = false;
  bool quiet = false;
  std::vector<std::string> program;
};

std::optional<std::string> if_given(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional(text);
}

/// What every rank finds in its environment. What an outer job says of itself does not reach it.
Variables rank_variables(const RunOptions& options, const server::CoreOptions& core,
                         const std::string& url, const std::optional<MemoryFile>& secret) {
  Variables variables{{"MUSTER_URL", url},
                      {"MUSTER_SERVE", "external"},
                      {"MUSTER_SIZE", std::to_string(core.size)},
                      {"MUSTER_JOB", core.job},
                      {"MUSTER_INCARNATION", core.incarnation.text()},
                      {"MUSTER_EPOCH", if_given(options.names.epoch)},
                      {"MUSTER_LISTEN_FD", std::nullopt},
                      {"MUSTER_UID", std::nullopt},
                      {"MUSTER_UID_FILE", std::nullopt},
                      {"MUSTER_UID_FD", std::nullopt}};
  if (secret) {
    variables.emplace_back("MUSTER_SECRET_FILE", secret->path());
    variables.emplace_back("MUSTER_SECRET_FD", std::nullopt);
    variables.emplace_back("MUSTER_SECRET", std::nullopt);
  }
  // Where there is no option, what the user has set stays as it is.
  if (!options.join_timeout.empty()) {
    variables.emplace_back("MUSTER_JOIN_TIMEOUT", options.join_timeout);
  }
  if (!options.operation_timeout.empty()) {
    variables.emplace_back("MUSTER_OP_TIMEOUT", options.operation_timeout);
  }
  return variables;
}

/// A secret that came by a descriptor, which is read now, in a file for the ranks; nothing if it
/// came otherwise and reaches them as it is. Errors: `system`.
Result<std::optional<MemoryFile>> secret_file() {
  const auto& secret = credentials()->secret;
  if (from_environment("MUSTER_SECRET_FD").empty() || !secret) return {std::nullopt};
  // Reading takes one newline off the end: this one, and none of the secret's own.
  Value text = to_value(secret->bytes());
  text.push_back(std::byte{'\n'});
  auto file = MemoryFile::make(text);
  wipe(text);
  if (!file) return std::move(file).error();
  return std::optional(*std::move(file));
}

Result<int> launch(const RunOptions& options, const server::CoreOptions& core,
                   const Signals& signals, LogSink log) {
  auto folder = SocketFolder::make();
  if (!folder) return folder.error();
  const auto secret = secret_file();
  if (!secret) return secret.error();
  auto events = JobEvents::make();
  if (!events) return events.error();
  server::ServeOptions serving{
      .url = net::Url{.scheme = net::Url::Scheme::unix_socket, .path = folder->socket_path()},
      .core = core,
      .log = std::move(log),
      .on_event = [queue = *events](const server::JobEvent& event) { queue->push(event); },
      .same_user_only = true};
  if (auto sworn = protect(serving, *credentials()); !sworn) return std::move(sworn).error();
  auto server = server::Server::start(std::move(serving));
  if (!server) return server.error();
  const auto job_file = OwnJobFile::write(core.job, (*server)->url());
  if (!job_file) return job_file.error();

  Launch ranks({.command = options.program,
                .size = core.size,
                .job = core.job,
                .host = core.host,
                .variables = rank_variables(options, core, (*server)->url(), *secret),
                .grace = *parse_seconds(options.grace),
                .others_go_on = core.on_loss == OnLoss::notify,
                .prefix = !options.no_prefix,
                .quiet = options.quiet},
               **server, **events, signals);
  if (auto started = ranks.start(); !started) return started.error();
  const int exit_code = ranks.wait();
  (*server)->stop(std::chrono::seconds{1});
  return exit_code;
}

int run(RunOptions options) {
  options.names.or_environment();
  const auto core = core_options(options.names, options.rules, options.size);
  if (!core) return complain(core.error());
  if (!credentials()) return complain(credentials().error());
  // What the server warns of, run says itself.
  auto log = log_from_environment(LogLevel::error);
  if (!log) return complain(log.error());
  if (const int error = find_command(options.program.front()); error != 0) {
    return cannot_start(options.program.front().c_str(), error);
  }
  const auto signals = Signals::take();
  if (!signals) return complain(signals.error());
  const auto exit_code = launch(options, *core, *signals, *std::move(log));
  return exit_code ? *exit_code : complain(exit_code.error());
}

/// CLI11 does not see what stands behind "--", but who reads the usage must.
class RunFormatter : public CLI::Formatter {
 public:
  std::string make_usage(const CLI::App* app, std::string name) const override {
    std::string usage = CLI::Formatter::make_usage(app, std::move(name));
    usage.insert(usage.find_last_not_of('\n') + 1, " -- COMMAND [ARGUMENTS...]");
    return usage;
  }
};

}  // namespace

void add_run(CLI::App& app, Command& command, std::vector<std::string> program) {
  auto options = std::make_shared<RunOptions>();
  options->program = std::move(program);
  CLI::App* sub = app.add_subcommand("run", "Start all ranks of a job on this machine");
  sub->footer(footer);
  sub->formatter(std::make_shared<RunFormatter>());
  sub->add_option("-n,--ranks", options->size, "How many ranks to start")
      ->required()
      ->type_name("N")
      ->check(CLI::Range(std::uint32_t{1}, limits::ranks_max).description(""));
  sub->add_option("--join-timeout", options->join_timeout,
                  "How long a rank waits for all others to join (MUSTER_JOIN_TIMEOUT)")
      ->type_name("SECONDS")
      ->check(seconds_above_0());
  sub->add_option("--op-timeout", options->operation_timeout,
                  "How long a later call waits unless it says so (MUSTER_OP_TIMEOUT)")
      ->type_name("SECONDS")
      ->check(seconds_above_0());
  options->names.add_to(*sub);
  options->rules.add_to(*sub);
  sub->add_option("--grace", options->grace,
                  "Before SIGTERM, and again before SIGKILL, once a rank has failed")
      ->type_name("SECONDS")
      ->check(seconds())
      ->capture_default_str();
  sub->add_flag("--no-prefix", options->no_prefix,
                "Pass the ranks' output through as it is, without \"[rank] \"");
  sub->add_flag("-q,--quiet", options->quiet, "No lines on who has not joined yet");
  sub->allow_extras();
  sub->callback([options, sub, &command] {
    if (!sub->remaining().empty()) {
      throw CLI::ValidationError(
          fmt::format("'{}' is no option; the command to run stands behind --: muster run -n N -- "
                      "COMMAND",
                      sub->remaining().front()),
          2);
    }
    if (options->program.empty()) {
      throw CLI::ValidationError("the command to run is missing: muster run -n N -- COMMAND", 2);
    }
    command = [options] { return run(*options); };
  });
}

}  // namespace muster::tool
