#include "client/driver/poll_until.hpp"

#include <algorithm>
#include <ctime>
#include <poll.h>

namespace muster::client {

short poll_until(int fd, short events, TimePoint deadline) {
  constexpr Duration longest = std::chrono::hours{1};
  const TimePoint now = Clock::now();
  const Duration left = deadline <= now ? Duration::zero() : std::min(deadline - now, longest);
  const auto whole = std::chrono::duration_cast<std::chrono::seconds>(left);
  const timespec timeout{.tv_sec = static_cast<time_t>(whole.count()),
                         .tv_nsec = static_cast<long>((left - whole).count())};
  pollfd entry{.fd = fd, .events = events, .revents = 0};
  return ppoll(&entry, 1, &timeout, nullptr) > 0 ? entry.revents : static_cast<short>(0);
}

}  // namespace muster::client
