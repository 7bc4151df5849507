#include "job_events.hpp"

#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <sys/eventfd.h>
#include <unistd.h>

namespace muster::tool {

Result<std::shared_ptr<JobEvents>> JobEvents::make() {
  auto events = std::make_shared<JobEvents>();
  events->fd_ = net::Fd(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!events->fd_) {
    return Error{.code = Code::system,
                 .what = fmt::format("cannot make an eventfd: {}", std::strerror(errno))};
  }
  return events;
}

void JobEvents::push(server::JobEvent event) {
  {
    const std::lock_guard lock(mutex_);
    waiting_.push_back(std::move(event));
  }
  ::eventfd_write(fd_.get(), 1);
}

std::vector<server::JobEvent> JobEvents::take() {
  eventfd_t count = 0;
  ::eventfd_read(fd_.get(), &count);
  const std::lock_guard lock(mutex_);
  return std::exchange(waiting_, {});
}

}  // namespace muster::tool
