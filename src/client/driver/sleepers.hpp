/// \file
/// Threads that sleep until their answer has come, or until they are needed.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <vector>

#include <muster/deadline.hpp>

#include "client/core/pending.hpp"

namespace muster::client {

/// A request with what its thread sleeps on.
struct Waiter : Slot {
  std::atomic<std::uint32_t> awake{0};
};

/// Resource; guarded by its owner's mutex, which is held in each call. So a waiter that is woken
/// cannot return and vanish before that is done.
class Sleepers {
 public:
  using Lock = std::unique_lock<std::mutex>;

  /// Without the mutex, until `mine` is woken, or until `deadline`.
  void sleep(Lock& lock, Waiter& mine, TimePoint deadline);

  bool empty() const { return sleeping_.empty(); }
  /// If it sleeps.
  void wake(Waiter& waiter);
  /// The one that fell asleep last: it is the likeliest to have warm caches.
  void wake_one();
  void wake_all();

 private:
  std::vector<Waiter*> sleeping_;
};

}  // namespace muster::client
