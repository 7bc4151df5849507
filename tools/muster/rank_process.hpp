/// \file
/// Starts the process of one rank.
#pragma once

#include <csignal>
#include <optional>
#include <string>
#include <sys/types.h>
#include <utility>
#include <vector>

#include <muster/result.hpp>

#include "end_status.hpp"
#include "net/fd.hpp"

namespace muster::tool {

/// Value. Variables that a process gets on top of this one's environment; no value: none of that
/// name.
using Variables = std::vector<std::pair<std::string, std::optional<std::string>>>;

struct SpawnOptions {
  std::vector<std::string> command;  ///< not empty; looked up in PATH
  Variables variables;
  sigset_t signal_mask{};
  bool own_input = false;   ///< has this process's standard input; otherwise it reads nothing
  bool pipe_output = true;  ///< its output comes through pipes; otherwise it has this process's
};

/// A process that runs, with the reading ends of its output.
struct RankProcess {
  pid_t pid = 0;
  net::Fd out;
  net::Fd err;
};

/// Starts `command`, by way of the stub (stub.hpp), so that it dies with the calling thread.
/// Errors: `system`.
Result<RankProcess> spawn(const SpawnOptions& options);

/// How `pid`, a child, ended, if it has; it is reaped then.
std::optional<EndStatus> reap(pid_t pid);

/// Whether `command` can be found, as execvp() would look for it, and executed: 0, or ENOENT or
/// EACCES.
int find_command(const std::string& command);

}  // namespace muster::tool
