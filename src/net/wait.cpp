#include "net/wait.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <system_error>

namespace muster::net {

bool wait_any(std::span<pollfd> all, TimePoint deadline) {
  using std::chrono::nanoseconds;
  using std::chrono::seconds;
  for (;;) {
    const auto left = std::max(deadline - Clock::now(), Duration::zero());
    const auto whole = std::chrono::duration_cast<seconds>(left);
    const auto rest = std::chrono::duration_cast<nanoseconds>(left - whole);
    const timespec time{.tv_sec = whole.count(), .tv_nsec = rest.count()};
    const int ready = ::ppoll(all.data(), all.size(), &time, nullptr);
    if (ready > 0) return true;
    // A signal at the deadline is no look; a kernel without memory is none either, but it may last.
    const bool looked = ready == 0 || errno != EINTR;
    if (looked && Clock::now() >= deadline) return false;
  }
}

short wait_ready(int fd, short events, TimePoint deadline) {
  pollfd one{.fd = fd, .events = events, .revents = 0};
  return wait_any({&one, 1}, deadline) ? one.revents : short{0};
}

void pause_until(TimePoint when) {
  wait_any({}, when);
}

std::string reason(int error_number) {
  return std::generic_category().message(error_number);
}

}  // namespace muster::net
