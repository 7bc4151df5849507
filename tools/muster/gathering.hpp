/// \file
/// What `muster run` makes of a job that is not complete yet: who is missing, when to say so, and
/// when waiting is pointless. Decisions and text only, told the time.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <sys/types.h>
#include <vector>

#include <muster/deadline.hpp>
#include <muster/roster.hpp>

#include "end_status.hpp"

namespace muster::tool {

/// Value. What is known of the process of rank i, as the i-th of a range.
struct ProcessState {
  pid_t pid = 0;
  std::optional<EndStatus> ended;
};

/// Ranks that have not come, ascending. A rank that came and went is not missing.
std::vector<std::uint32_t> missing_ranks(const JobStatus& status, std::size_t size);

/// Why the job cannot become complete: processes that ended without having joined, as soon as some
/// other rank has joined. As long as none has, the command may be one that does not use Muster, and
/// nothing is wrong.
std::optional<Failure> never_coming(const JobStatus& status,
                                    std::span<const ProcessState> processes,
                                    const std::string& host);

/// "6 of 8 ranks have joined after 10 s; missing: 3, 7 (rank 3: pid 4711 is running, has not called
/// join; ...)".
std::string progress_line(const JobStatus& status, std::span<const ProcessState> processes,
                          Duration elapsed);

/// Value. When to write progress_line(): 2 s after the start, then every 10 s, or every 2 s while
/// the missing change.
class Progress {
 public:
  explicit Progress(TimePoint start) : next_look_(start + look_every) {}

  TimePoint next_look() const { return next_look_; }
  /// Whether to write a line now, given who is missing. Sets the next look when this one was due.
  bool due(const std::vector<std::uint32_t>& missing, TimePoint now);

 private:
  static constexpr Duration look_every = std::chrono::seconds{2};
  static constexpr Duration say_every = std::chrono::seconds{10};

  TimePoint next_look_;
  std::optional<TimePoint> said_at_;
  std::vector<std::uint32_t> said_;
};

}  // namespace muster::tool
