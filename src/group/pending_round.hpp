/// \file
/// Rounds that are started now and waited for later: for bindings, whose callers have other things
/// to do meanwhile.
#pragma once

#include <memory>

#include <muster/group.hpp>

namespace muster {

/// Resource; one thread at a time. A round that this rank has arrived in. Its group outlives it. It
/// is to be waited for, exactly once.
class PendingRound {
 public:
  virtual ~PendingRound() = default;
  /// Whether wait() would return at once. Takes in what has arrived.
  virtual bool test() = 0;
  /// The verdict, as arrive() gives it; by the deadline that the round was started with.
  virtual Result<Parts> wait() = 0;
};

/// What a Group may be, beside: see there what a round is. Nothing works on it between the calls:
/// what the link did not take of the arrival goes out in test() and wait(), of any round.
class StartsRounds {
 public:
  /// arrive(), up to where it would wait. `call` is not needed any more when it returns. The group
  /// is `busy` until the round has been waited for.
  virtual Result<std::unique_ptr<PendingRound>> start(const Call& call, Deadline deadline) = 0;

 protected:
  ~StartsRounds() = default;
};

}  // namespace muster
