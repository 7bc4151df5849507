/// \file
/// How long to wait between attempts.
#pragma once

#include <cstdint>

#include <muster/deadline.hpp>

#include "base/random.hpp"

namespace muster::net {

/// Value. Doubles from `first` up to `most`, each with jitter of half to whole, so that a large job
/// does not knock in step.
class BackOff {
 public:
  /// For the ranks of a job: from 1 ms up to clamp(size x 20 us, 10 ms, 250 ms), so that the knocks
  /// of all of them together stay bearable.
  explicit BackOff(std::uint32_t size);
  BackOff(Duration first, Duration most) : now_(first), most_(most) {}

  Duration next(Random& random);

 private:
  Duration now_;
  Duration most_;
};

}  // namespace muster::net
