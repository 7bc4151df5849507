/// \file
/// Whether a peer is alive, judged only by time in which one could have heard it.
#pragma once

#include <muster/deadline.hpp>

namespace muster {

/// Value. The time that its owner was awake. A look that comes much later than it was due says that
/// the process was stopped, the host suspended, or the thread busy, and then nobody was heard,
/// however much they said: what has passed since the look before does not count. So whoever is
/// awake again hears first and judges at a later look.
class AwakeTime {
 public:
  explicit AwakeTime(TimePoint now) : looked_(now) {}

  /// How long the owner has been awake in all, at a look that is taken now, and was to be taken
  /// `period` after the one before or sooner.
  Duration look(TimePoint now, Duration period) {
    const Duration passed = now - looked_;
    looked_ = now;
    if (passed <= 2 * period) awake_ += passed;
    return awake_;
  }

 private:
  TimePoint looked_;
  Duration awake_{};
};

/// Value. One peer, looked at now and then.
class Pulse {
 public:
  /// A byte has come. Costs nothing, so that it can be said of each read.
  void heard() { heard_ = true; }

  /// How long the peer has been silent, at a look after the owner has been awake for `awake`.
  Duration silence(Duration awake) {
    if (heard_) heard_at_ = awake;
    heard_ = false;
    return awake - heard_at_;
  }

 private:
  bool heard_ = true;    ///< since the last look
  Duration heard_at_{};  ///< the last look after which it was heard
};

}  // namespace muster
