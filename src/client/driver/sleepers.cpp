#include "client/driver/sleepers.hpp"

#include <algorithm>

#include "client/driver/futex.hpp"

namespace muster::client {
namespace {

void rouse(Waiter& waiter) {
  waiter.awake.store(1, std::memory_order_release);
  futex_wake(waiter.awake);
}

}  // namespace

void Sleepers::sleep(Lock& lock, Waiter& mine, TimePoint deadline) {
  mine.awake.store(0, std::memory_order_relaxed);
  sleeping_.push_back(&mine);
  lock.unlock();
  futex_wait(mine.awake, 0, deadline);
  lock.lock();
  std::erase(sleeping_, &mine);
}

void Sleepers::wake(Waiter& waiter) {
  if (std::find(sleeping_.begin(), sleeping_.end(), &waiter) != sleeping_.end()) rouse(waiter);
}

void Sleepers::wake_one() {
  if (!sleeping_.empty()) rouse(*sleeping_.back());
}

void Sleepers::wake_all() {
  for (Waiter* each : sleeping_) rouse(*each);
}

}  // namespace muster::client
