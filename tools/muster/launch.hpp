/// \file
/// The processes of `muster run`: started, listened to, ended.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ending.hpp"
#include "gathering.hpp"
#include "job_events.hpp"
#include "output.hpp"
#include "output_prefix.hpp"
#include "rank_process.hpp"
#include "server/driver/server.hpp"
#include "signals.hpp"

namespace muster::tool {

struct LaunchOptions {
  std::vector<std::string> command;
  std::uint32_t size = 0;
  std::string job;
  std::string host;
  Variables variables;  ///< the same for every rank; MUSTER_RANK is added
  Duration grace = std::chrono::seconds{5};
  bool others_go_on = false;  ///< when one fails, once all are in
  bool prefix = true;         ///< mark each line of the ranks' output with its rank
  bool quiet = false;         ///< no progress lines
};

/// Resource; one thread, the one that all of it dies with. Processes that still run when this is
/// destroyed are killed.
class Launch {
 public:
  Launch(LaunchOptions options, server::Server& server, JobEvents& events, const Signals& signals);
  ~Launch();

  /// Starts all ranks. Errors: `system`; those already started are ended by the destructor.
  Result<void> start();

  /// Waits until every rank has ended, ends them as `Ending` says, and returns the exit code of the
  /// whole, explained on standard error.
  int wait();

 private:
  /// One of a rank's two outputs, on its way into one of ours.
  struct Stream {
    net::Fd from;
    OutputPrefix lines;
    Output* to;
  };

  bool all_ended() const { return ends_.size() == processes_.size(); }
  bool done() const;
  int poll_timeout_ms(TimePoint now) const;
  void poll_once();

  void on_signals(TimePoint now);
  void on_events(TimePoint now);
  void interrupt(int signal, TimePoint now);
  void reap_ended(TimePoint now);
  void read(Stream& stream);
  void look_at_gathering(TimePoint now);
  void end_ranks(Step step);
  void say(const std::string& line);

  LaunchOptions options_;
  server::Server& server_;
  JobEvents& events_;
  const Signals& signals_;

  TimePoint start_ = Clock::now();
  Ending ending_;
  Progress progress_{start_};
  bool gathering_ = true;
  TimePoint next_look_ = progress_.next_look();

  std::vector<ProcessState> processes_;  ///< by rank
  std::vector<RankEnd> ends_;            ///< in the order in which they ended
  std::optional<std::uint32_t> casualty_;
  std::optional<Failure> failure_;  ///< the server's word that the job failed
  bool ending_ranks_ = false;

  Output out_{1};
  Output err_{2};
  std::vector<Stream> streams_;
};

}  // namespace muster::tool
