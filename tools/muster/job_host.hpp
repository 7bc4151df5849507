/// \file
/// A server in the foreground, until its job has ended: what `muster serve` and `muster uid` do.
#pragma once

#include <optional>
#include <string>

#include <muster/log.hpp>
#include <muster/result.hpp>
#include <muster/roster.hpp>
#include <muster/security.hpp>

#include "job_events.hpp"
#include "net/fd.hpp"
#include "server/core/core.hpp"
#include "server/driver/server.hpp"
#include "signals.hpp"

namespace muster::tool {

/// How one job ended.
struct Outcome {
  std::optional<Failure> failure;
  std::optional<int> signal;
  std::optional<RosterRow> casualty;  ///< went without a word, when nobody was left to be told
};

/// What the process ends with.
int exit_code(const Outcome& outcome);

/// What is served, and where.
struct Hosting {
  const char* command = "";  ///< "muster serve": begins every line
  net::Fd listener;
  bool keeps_socket_file = false;  ///< it is somebody else's
  std::string url;                 ///< for the job file
  Credentials credentials;
  LogSink log;
  /// The line to print once, when the first job can be joined and found: without it nobody can.
  std::string announcement;
};

/// Resource. Serves one job after the other on one listening socket; removes its file, if it has
/// an own one, in the end.
class JobHost {
 public:
  JobHost(Hosting hosting, Signals signals)
      : hosting_(std::move(hosting)), signals_(std::move(signals)) {}
  ~JobHost();

  /// Serves the job of `core` to its end, and says on standard error how it failed. Errors: also
  /// those of the announcement; then nothing is served.
  Result<Outcome> serve_one(const server::CoreOptions& core);

 private:
  Result<void> announce();
  Outcome wait(server::Server& server, JobEvents& events);
  void interrupt(server::Server& server, int signal) const;

  Hosting hosting_;
  Signals signals_;
};

}  // namespace muster::tool
