/// \file
/// What `run` and `serve` have in common: the names of a job, from options and the environment.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <muster/log.hpp>
#include <muster/result.hpp>
#include <muster/security.hpp>

#include "server/core/core.hpp"

namespace CLI {
class App;
}

namespace muster::tool {

/// Value. As given on the command line; empty: not given.
struct JobNames {
  std::string job;
  std::string epoch;

  /// The options of a command.
  void add_to(CLI::App& command);
  /// Fills what was not given from MUSTER_JOB and MUSTER_EPOCH.
  void or_environment();
};

/// Value. The same: what holds in the job.
struct JobRules {
  std::string heartbeat;
  std::string on_loss;

  void add_to(CLI::App& command);
  /// Sets what was given, here or in MUSTER_HEARTBEAT and MUSTER_ON_LOSS. Errors:
  /// `invalid_argument`, naming the option or variable.
  Result<void> apply(server::CoreOptions& core) const;
};

/// The option of a command that serves, and may learn the count of ranks from the first.
void add_size(CLI::App& command, std::uint32_t& size);

/// The core of a job with an external server: `names`, checked, where given, and fresh ones where
/// not. Errors: `invalid_argument`, naming the option or variable.
Result<server::CoreOptions> core_options(const JobNames& names, const JobRules& rules,
                                         std::uint32_t size);

/// What this process has to show, read from the environment once: a descriptor's secret can be read
/// only once. Errors: those of Credentials::from_environment() and settled().
const Result<Credentials>& credentials();

/// Lines as grave as MUSTER_LOG says, `standard` if it is not set, to standard error. Errors:
/// `invalid_argument`.
Result<LogSink> log_from_environment(LogLevel standard);

/// The variable's value; empty if it is not set.
std::string from_environment(const char* variable);

/// Writes "muster: ERROR" to standard error. Returns the exit code: 2 for `invalid_argument`, else
/// 1.
int complain(const Error& error);

}  // namespace muster::tool
