#include "net/wait.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <poll.h>
#include <system_error>

namespace muster::net {
namespace {

/// ppoll() until it says something, whatever interrupts it; whether anything is ready.
bool poll_until(pollfd* one, TimePoint deadline) {
  using std::chrono::nanoseconds;
  using std::chrono::seconds;
  for (;;) {
    const auto left = std::max(deadline - Clock::now(), Duration::zero());
    const auto whole = std::chrono::duration_cast<seconds>(left);
    const auto rest = std::chrono::duration_cast<nanoseconds>(left - whole);
    const timespec time{.tv_sec = whole.count(), .tv_nsec = rest.count()};
    const int ready = ::ppoll(one, one == nullptr ? 0 : 1, &time, nullptr);
    if (ready > 0) return true;
    // A signal at the deadline is no look; a kernel without memory is none either, but it may last.
    const bool looked = ready == 0 || errno != EINTR;
    if (looked && Clock::now() >= deadline) return false;
  }
}

}  // namespace

short wait_ready(int fd, short events, TimePoint deadline) {
  pollfd one{.fd = fd, .events = events, .revents = 0};
  return poll_until(&one, deadline) ? one.revents : short{0};
}

void pause_until(TimePoint when) {
  poll_until(nullptr, when);
}

std::string reason(int error_number) {
  return std::generic_category().message(error_number);
}

}  // namespace muster::net
