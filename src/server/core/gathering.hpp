/// \file
/// The time until all ranks are in.
#pragma once

#include <cstdint>
#include <optional>

#include <muster/deadline.hpp>
#include <muster/roster.hpp>

#include "server/core/roster.hpp"

namespace muster::server {

/// Resource. Begins with the first rank that is admitted; ends when all are in, at the earliest
/// deadline of those who are, less the reserve, or with the job.
class Gathering {
 public:
  void admitted(TimePoint now, std::uint32_t left_ms);
  void end() { deadline_.reset(), line_at_.reset(); }
  std::optional<TimePoint> deadline() const { return deadline_; }
  /// When something is to be done: at the deadline, or to say who is still missing.
  std::optional<TimePoint> next() const;

  /// Whether it is time to say who is missing, as it is every limits::gathering_line_period.
  bool line_due(TimePoint now);
  Duration elapsed(TimePoint now) const { return now - *began_; }

  /// Why it failed at `now`: who has not come. `seekers` have, but wait to be given one of the
  /// absent ranks, so that nobody can say which of these is missing.
  Failure missing(const Roster& roster, std::uint32_t seekers, TimePoint now) const;

 private:
  std::optional<TimePoint> began_;
  std::optional<TimePoint> deadline_;
  std::optional<TimePoint> line_at_;
};

}  // namespace muster::server
