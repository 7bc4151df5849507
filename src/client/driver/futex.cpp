#include "client/driver/futex.hpp"

#include <algorithm>
#include <ctime>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace muster::client {

static_assert(sizeof(std::atomic<std::uint32_t>) == sizeof(std::uint32_t));

void futex_wait(const std::atomic<std::uint32_t>& word, std::uint32_t expected,
                TimePoint deadline) {
  // FUTEX_WAIT_BITSET takes an absolute time on CLOCK_MONOTONIC, which is what steady_clock reads.
  const auto since = std::max(deadline.time_since_epoch(), Duration::zero());
  const auto whole = std::chrono::duration_cast<std::chrono::seconds>(since);
  const timespec until{.tv_sec = static_cast<time_t>(whole.count()),
                       .tv_nsec = static_cast<long>((since - whole).count())};
  syscall(SYS_futex, &word, FUTEX_WAIT_BITSET_PRIVATE, expected, &until, nullptr,
          FUTEX_BITSET_MATCH_ANY);
}

void futex_wake(const std::atomic<std::uint32_t>& word) {
  syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
}

}  // namespace muster::client
