#include "server/driver/capacity.hpp"

#include <cerrno>
#include <fmt/format.h>
#include <fstream>
#include <sys/resource.h>

#include "base/limits.hpp"
#include "net/wait.hpp"

namespace muster::server {

Result<void> make_descriptors_suffice(std::uint32_t ranks) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return {};
  if (limit.rlim_cur < limit.rlim_max) {
    const rlimit raised{.rlim_cur = limit.rlim_max, .rlim_max = limit.rlim_max};
    if (::setrlimit(RLIMIT_NOFILE, &raised) == 0) limit = raised;
  }
  const rlim_t needed = rlim_t{ranks} + limits::descriptors_reserve;
  if (ranks == 0 || limit.rlim_cur >= needed) return {};
  return Error{
      .code = Code::system,
      .phase = Phase::local,
      .what = fmt::format("a job of {} ranks needs {} open files in the process that "
                          "serves it, and may have {}",
                          ranks, needed, limit.rlim_cur),
      .advice = fmt::format("raise the hard limit of open files (ulimit -Hn) to {} there", needed)};
}

std::string queue_warning(std::uint32_t ranks) {
  std::uint32_t queue = 0;
  std::ifstream("/proc/sys/net/core/somaxconn") >> queue;
  if (queue == 0 || ranks <= queue) return {};
  return fmt::format(
      "the kernel queues {} connections that are not accepted yet, and the job has "
      "{} ranks: when all connect at once some have to try again. Raise "
      "net.core.somaxconn",
      queue, ranks);
}

}  // namespace muster::server
