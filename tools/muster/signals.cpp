#include "signals.hpp"

#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <sys/signalfd.h>
#include <unistd.h>

namespace muster::tool {

Result<Signals> Signals::take() {
  Signals signals;
  sigset_t taken;
  ::sigemptyset(&taken);
  for (const int signal : {SIGCHLD, SIGINT, SIGTERM, SIGHUP}) ::sigaddset(&taken, signal);
  ::pthread_sigmask(SIG_BLOCK, &taken, &signals.mask_before_);
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGCHLD, SIG_DFL);  // ignored by our parent, it would hide how children end
  signals.fd_ = net::Fd(::signalfd(-1, &taken, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!signals.fd_) {
    return Error{.code = Code::system,
                 .what = fmt::format("cannot take signals: {}", std::strerror(errno))};
  }
  return signals;
}

std::vector<int> Signals::read() const {
  std::vector<int> come;
  signalfd_siginfo info{};
  while (::read(fd_.get(), &info, sizeof(info)) == sizeof(info)) {
    come.push_back(static_cast<int>(info.ssi_signo));
  }
  return come;
}

}  // namespace muster::tool
