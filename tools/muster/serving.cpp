#include "serving.hpp"

#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>

#include "base/host.hpp"
#include "base/text.hpp"
#include "exit_codes.hpp"

namespace muster::tool {

void JobNames::or_environment() {
  if (std::getenv("MUSTER_RANK") != nullptr) return;  // a rank's: the names are its own job's
  const auto fill = [](std::string& name, const char* variable) {
    const char* set = std::getenv(variable);
    if (name.empty() && set != nullptr) name = set;
  };
  fill(job, "MUSTER_JOB");
  fill(epoch, "MUSTER_EPOCH");
}

Result<server::CoreOptions> core_options(const JobNames& names, std::uint32_t size) {
  server::CoreOptions core{.job = names.job.empty() ? random_job_id() : names.job,
                           .incarnation = Incarnation::random(),
                           .epoch = Epoch::random(),
                           .size = size,
                           .host = host_name(),
                           .pid = process_id()};
  if (auto checked = check_job_id(core.job); !checked) {
    Error error = checked.error();
    error.what += " (from --job or MUSTER_JOB)";
    return error;
  }
  if (!names.epoch.empty()) {
    auto epoch = Epoch::parse(names.epoch);
    if (!epoch) {
      Error error = epoch.error();
      error.what += " (from --epoch or MUSTER_EPOCH)";
      return error;
    }
    core.epoch = *epoch;
  }
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
    return Error{.code = Code::invalid_argument,
                 .what = fmt::format("MUSTER_LOG is {}, expected error, warning, info or debug",
                                     quoted(set))};
  }
  return log_to_stderr(*level);
}

std::string from_environment(const char* variable) {
  const char* set = std::getenv(variable);
  return set == nullptr ? "" : set;
}

void print_line(const std::string& line) {
  fmt::print("{}\n", line);
  std::fflush(stdout);
}

int complain(const Error& error) {
  fmt::print(stderr, "muster: {}\n", error.text());
  return error.code == Code::invalid_argument ? exit_usage : exit_failed;
}

}  // namespace muster::tool
