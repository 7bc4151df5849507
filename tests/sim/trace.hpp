/// \file
/// What one run does, as a person reads it.
#pragma once

#include <string_view>

#include "scheduler.hpp"

namespace muster::sim {

/// Resource. Silent unless asked for: ask on() before building a line.
class Trace {
 public:
  Trace(const Scheduler& scheduler, bool on) : scheduler_(scheduler), on_(on) {}

  bool on() const { return on_; }
  /// "  12.345678 s  rank 3: barrier 'a' #4" on standard output.
  void say(std::string_view who, std::string_view what) const;

 private:
  const Scheduler& scheduler_;
  bool on_;
};

}  // namespace muster::sim
