#include "base/standard_descriptors.hpp"

#include <fcntl.h>
#include <unistd.h>

namespace muster {

void hold_standard_descriptors() {
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; ++fd) {
    // Who reads from a closed standard input is to get an error, not its end.
    if (::fcntl(fd, F_GETFD) < 0) ::open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDWR);
  }
}

}  // namespace muster
