/// \file
/// What a server has pushed for watches, on its way to their handlers.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>

#include <muster/bytes.hpp>

#include "client/core/pending.hpp"

namespace muster::client {

/// Resource; guarded by its owner's mutex. Handlers run one at a time and in order, in whichever
/// thread delivers, without the mutex.
class PushQueue {
 public:
  using Lock = std::unique_lock<std::mutex>;

  void add(std::shared_ptr<Watch> watch, Bytes body);
  /// Somebody has to deliver(), and nobody does.
  bool ready() const { return !pushes_.empty() && !delivering_; }
  /// What waits here.
  std::size_t bytes() const { return bytes_; }
  void clear();

  /// Calls handlers until nothing waits; at once back if another thread, or this one further up, is
  /// at it.
  void deliver(Lock& lock);
  /// Returns when the handler of `ended`, which is to be called no more, does not run; at once if
  /// this is called from a handler.
  void wait_for_end_of(const std::shared_ptr<Watch>& ended, Lock& lock);

 private:
  struct Push {
    std::shared_ptr<Watch> watch;
    Value body;
  };

  std::deque<Push> pushes_;
  std::size_t bytes_ = 0;
  std::shared_ptr<Watch> delivering_;  ///< whose handler runs, in `deliverer_`
  std::thread::id deliverer_;
  std::condition_variable delivered_;
};

}  // namespace muster::client
