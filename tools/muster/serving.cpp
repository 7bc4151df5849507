#include "serving.hpp"

#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "base/host.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"
#include "base/usage_error.hpp"
#include "base/variables.hpp"
#include "exit_codes.hpp"
#include "job/liveness.hpp"

namespace muster::tool {

void JobNames::add_to(CLI::App& command) {
  command.add_option("--job", job, "The job's name (MUSTER_JOB; else a random one)")
      ->type_name("ID");
  command
      .add_option("--epoch", epoch, "The durable state to resume (MUSTER_EPOCH; else a new one)")
      ->type_name("HEX");
}

void add_size(CLI::App& command, std::uint32_t& size) {
  command.add_option("--size", size, "How many ranks there are; else the first one says it")
      ->type_name("N")
      ->check(CLI::Range(std::uint32_t{1}, limits::ranks_max).description(""));
}

void JobNames::or_environment() {
  if (std::getenv("MUSTER_RANK") != nullptr) return;  // a rank's: the names are its own job's
  const auto fill = [](std::string& name, const char* variable) {
    const char* set = std::getenv(variable);
    if (name.empty() && set != nullptr) name = set;
  };
  fill(job, "MUSTER_JOB");
  fill(epoch, "MUSTER_EPOCH");
}

void JobRules::add_to(CLI::App& command) {
  command
      .add_option("--heartbeat", heartbeat,
                  "Time between signs of life; 0: none (MUSTER_HEARTBEAT; else 2)")
      ->type_name("SECONDS");
  command
      .add_option("--on-loss", on_loss,
                  "What a lost rank does: fail_job, notify (MUSTER_ON_LOSS; else fail_job)")
      ->type_name("WHAT");
}

namespace {

/// What `parse` makes of `option`, or else of `variable`; `into` stays if there is neither.
template <class T>
Result<void> take(const std::string& option, const char* name, const char* variable,
                  Result<T> (*parse)(std::string_view), T& into) {
  const char* set = std::getenv(variable);
  const bool given = !option.empty();
  if (!given && (set == nullptr || *set == '\0')) return {};
  Result<T> parsed = parse(given ? option : set);
  if (!parsed) return named(given ? name : variable, std::move(parsed).error());
  into = *parsed;
  return {};
}

}  // namespace

Result<void> JobRules::apply(server::CoreOptions& core) const {
  core.heartbeat = limits::heartbeat;
  if (auto taken =
          take(heartbeat, "--heartbeat", "MUSTER_HEARTBEAT", parse_heartbeat, core.heartbeat);
      !taken) {
    return taken;
  }
  return take(on_loss, "--on-loss", "MUSTER_ON_LOSS", parse_on_loss, core.on_loss);
}

Result<server::CoreOptions> core_options(const JobNames& names, const JobRules& rules,
                                         std::uint32_t size) {
  server::CoreOptions core{.job = names.job.empty() ? random_job_id() : names.job,
                           .incarnation = Incarnation::random(),
                           .epoch = Epoch::random(),
                           .size = size,
                           .host = host_name(),
                           .pid = process_id()};
  if (auto checked = check_job_id(core.job); !checked) {
    return named("--job (MUSTER_JOB)", std::move(checked).error());
  }
  if (!names.epoch.empty()) {
    auto epoch = Epoch::parse(names.epoch);
    if (!epoch) return named("--epoch (MUSTER_EPOCH)", std::move(epoch).error());
    core.epoch = *epoch;
  }
  if (auto ruled = rules.apply(core); !ruled) return std::move(ruled).error();
  return core;
}

const Result<Credentials>& credentials() {
  static const Result<Credentials> read = []() -> Result<Credentials> {
    Result<Credentials> all = Credentials::from_environment();
    if (!all) return all;
    if (const Result<Security> security = all->settled(); !security) return security.error();
    return all;
  }();
  return read;
}

Result<LogSink> log_from_environment(LogLevel standard) {
  const char* set = std::getenv("MUSTER_LOG");
  if (set == nullptr || *set == '\0') return log_to_stderr(standard);
  const auto level = parse_log_level(set);
  if (!level) {
    return bad_variable("MUSTER_LOG", set, "expected error, warning, info or debug");
  }
  return log_to_stderr(*level);
}

std::string from_environment(const char* variable) {
  const char* set = std::getenv(variable);
  return set == nullptr ? "" : set;
}

int complain(const Error& error) {
  fmt::print(stderr, "muster: {}\n", error.text());
  const bool usage = error.code == Code::invalid_argument || error.exit_code == exit_usage;
  return usage ? exit_usage : exit_failed;
}

}  // namespace muster::tool
