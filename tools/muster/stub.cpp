#include "stub.hpp"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "exit_codes.hpp"

namespace muster::tool {

int cannot_start(const char* command, int error) {
  fmt::print(stderr, "muster run: cannot start '{}': {}\n", command, std::strerror(error));
  return error == ENOENT || error == ENOTDIR ? exit_command_missing : exit_not_executable;
}

int become_rank(int argc, char** argv) {
  if (argc < 4 || std::strcmp(argv[1], stub_argument) != 0) return -1;
  const long parent = std::strtol(argv[2], nullptr, 10);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  // If the parent died before the line above, nobody will send the signal.
  if (::getppid() != parent) return exit_by_signal(SIGKILL);
  ::execvp(argv[3], argv + 3);
  return cannot_start(argv[3], errno);
}

}  // namespace muster::tool
