/// \file
/// Runs the tool as its users do, each test with job files of its own.
#pragma once

#include <gmock/gmock.h>
#include <map>
#include <string>
#include <vector>

#include "paths/paths.hpp"
#include "support/process.hpp"
#include "support/temp_dir.hpp"

namespace muster::cli {

using paths::program;
using support::Ended;
using support::Process;

/// The lines of `text`.
std::vector<std::string> lines(const std::string& text);

/// The pids that ranks told with `echo pid $$`, in any order.
std::vector<pid_t> told_pids(const std::string& out);

/// Whether the process ends, or has ended, within the test's patience.
bool ends(pid_t pid);

class Cli : public testing::Test {
 protected:
  /// Starts `muster ARGUMENTS...`, away from jobs that this user may have, and from any job's
  /// environment.
  Process start(std::vector<std::string> arguments, std::map<std::string, std::string> more = {});
  Ended muster(std::vector<std::string> arguments, std::map<std::string, std::string> more = {}) {
    return start(std::move(arguments), std::move(more)).wait();
  }
  /// Starts a shell line, with `$muster` and `$hello` set.
  Process shell(const std::string& line);

  /// What a job leaves behind in the folder where its socket and job file were.
  std::vector<std::string> left_behind() const;

  support::TempDir home_;
};

}  // namespace muster::cli
