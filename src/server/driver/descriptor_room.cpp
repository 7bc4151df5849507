#include "server/driver/descriptor_room.hpp"

#include <algorithm>
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

namespace muster::server {

/// The kernel doubles the table when it is full; in a process with threads whoever opens the
/// descriptor then waits for 8 to 16 ms (an RCU grace period), and a joining job would run into
/// that at 256, 512, 1,024 ... links. A high descriptor, opened for a moment, makes the table large
/// at once; the table never shrinks.
void make_descriptor_room(std::size_t count) {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  const int lowest_free = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (lowest_free < 0) return;
  const rlim_t wanted = static_cast<rlim_t>(lowest_free) + count;
  const int high =
      ::fcntl(lowest_free, F_DUPFD_CLOEXEC, static_cast<int>(std::min(wanted, limit.rlim_cur) - 1));
  if (high >= 0) ::close(high);
  ::close(lowest_free);
}

}  // namespace muster::server
