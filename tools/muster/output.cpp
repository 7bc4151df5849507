#include "output.hpp"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <poll.h>
#include <unistd.h>

namespace muster::tool {
namespace {

bool writable(int fd, int wait_ms) {
  pollfd one{.fd = fd, .events = POLLOUT, .revents = 0};
  return ::poll(&one, 1, wait_ms) > 0;
}

}  // namespace

void Output::write_some() {
  std::size_t done = 0;
  while (error_ == 0 && done < pending_.size() && writable(fd_, 0)) {
    // A pipe that polls as writable takes PIPE_BUF bytes without blocking, and no more is promised.
    const std::size_t piece = std::min<std::size_t>(pending_.size() - done, PIPE_BUF);
    const ssize_t written = ::write(fd_, pending_.data() + done, piece);
    if (written > 0) {
      done += static_cast<std::size_t>(written);
    } else if (errno != EINTR && errno != EAGAIN) {
      error_ = errno;
    }
  }
  pending_.erase(0, error_ != 0 ? std::string::npos : done);
}

void Output::write_all(int wait_ms) {
  while (!pending_.empty() && writable(fd_, wait_ms)) write_some();
}

}  // namespace muster::tool
