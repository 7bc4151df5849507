#include "net/fd.hpp"

#include <unistd.h>

namespace muster::net {

void Fd::reset(int fd) {
  // Linux has closed the descriptor even when close() says EINTR: a second close could hit
  // another thread's.
  if (fd_ >= 0) ::close(fd_);
  fd_ = fd;
}

}  // namespace muster::net
