/// \file
/// Every wait has a deadline: one per operation, carried down, never a fresh time-out for a part.
#pragma once

#include <chrono>
#include <optional>

#include <muster/export.hpp>

namespace muster {

using Clock = std::chrono::steady_clock;
using TimePoint = Clock::time_point;
using Duration = Clock::duration;

/// Value. When an operation must have ended. Three forms: an absolute time on the caller's steady
/// clock, a time from now, or, when default-made, "the job's operation time-out". The last two
/// become absolute once, at the entry of the operation.
class MUSTER_API Deadline {
 public:
  Deadline() = default;
  static Deadline at(TimePoint when);
  /// Negative counts as zero: the operation looks once and does not wait.
  static Deadline in(Duration from_now);

  /// The absolute time, given what the clock says and what a default-made deadline stands for.
  /// Times that would overflow become the end of time.
  TimePoint resolve(TimePoint now, Duration standard) const;

 private:
  std::optional<TimePoint> at_;
  std::optional<Duration> in_;
};

}  // namespace muster
