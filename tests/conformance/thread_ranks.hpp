/// \file
/// Ranks that are threads of one process.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "conformance/group_suite.hpp"

namespace muster::conformance {

/// Resource. One thread a rank, and one for each call beside it.
class ThreadRanks : public Ranks {
 public:
  void beside(std::function<void()> also) override {
    const std::lock_guard lock(mutex_);
    beside_.emplace_back(std::move(also));
  }

  void wait_until(const std::function<bool()>& condition) override {
    std::unique_lock lock(mutex_);
    while (!condition()) look_again_.wait_for(lock, std::chrono::milliseconds(1));
  }

 protected:
  /// Returns when `live` has ended for every rank, and all that was begun beside them.
  void run_all(std::uint32_t size, const std::function<void(std::uint32_t rank)>& live) {
    std::vector<std::jthread> ranks;
    for (std::uint32_t rank = 0; rank < size; ++rank) ranks.emplace_back(live, rank);
    ranks.clear();
    std::vector<std::jthread> begun;  // joined without the lock: they may wait for a condition
    const std::lock_guard lock(mutex_);
    begun.swap(beside_);
  }

 private:
  std::mutex mutex_;
  std::condition_variable look_again_;
  std::vector<std::jthread> beside_;
};

}  // namespace muster::conformance
