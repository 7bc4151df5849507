/// \file
/// When and how `muster run` ends its ranks, and with what exit code: decisions only, told the
/// time.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <sys/types.h>

#include <muster/deadline.hpp>

#include "end_status.hpp"

namespace muster::tool {

/// What to do to the ranks that still run.
enum class Step : std::uint8_t { none, terminate, kill };

/// Value. After the first failure the ranks have one grace to report and end by themselves, then
/// one more after SIGTERM, then SIGKILL. A signal from the user skips the first, a second signal
/// both.
class Ending {
 public:
  explicit Ending(Duration grace) : grace_(grace) {}

  /// A rank or the job failed. Only the first time counts.
  void failed(TimePoint now);
  /// The user, or the system, asked `muster run` to end.
  void interrupted(int signal, TimePoint now);

  /// What is due. `terminate` and `kill` are said once each, `kill` at the latest.
  Step due(TimePoint now);
  /// When something will be due; nothing while all is well, and after `kill`.
  std::optional<TimePoint> next_deadline() const;

  /// The first signal.
  std::optional<int> signal() const { return signal_; }

 private:
  Duration grace_;
  std::optional<int> signal_;
  std::optional<TimePoint> terminate_at_;
  std::optional<TimePoint> kill_at_;
  bool terminated_ = false;
  bool killed_ = false;
};

/// Value. One rank's process that has ended.
struct RankEnd {
  std::uint32_t rank = 0;
  pid_t pid = 0;
  EndStatus how;
};

/// Value.
struct Verdict {
  int exit_code = 0;
  std::string why;  ///< "rank 3 (pid 4711) was ended by signal 9 (Killed)"; empty if all is well
};

/// The exit code of the whole. `ends` are in the order in which the processes ended; `casualty` is
/// the rank that the server first recorded lost or failed. In this order: 128 + the signal sent to
/// `muster run`; 70 if any rank ended with it; the casualty's status, if its process failed; the
/// first failed status; 0.
Verdict verdict(std::span<const RankEnd> ends, std::optional<std::uint32_t> casualty,
                std::optional<int> signal);

/// For standard error: a line a failed rank, at most 16 of them, then the exit code and why. Empty
/// if the exit code is 0.
std::string summary(std::span<const RankEnd> ends, const Verdict& verdict);

}  // namespace muster::tool
