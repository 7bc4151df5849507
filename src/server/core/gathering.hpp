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
  void end() { deadline_.reset(); }
  std::optional<TimePoint> deadline() const { return deadline_; }

  /// Why it failed at `now`: who has not come.
  Failure missing(const Roster& roster, TimePoint now) const;

 private:
  std::optional<TimePoint> began_;
  std::optional<TimePoint> deadline_;
};

}  // namespace muster::server
