/// \file
/// For threads that Muster starts: signals are meant for the application's own.
#pragma once

#include <pthread.h>
#include <signal.h>

namespace muster {

/// Resource; one thread. While it lives, this thread takes no signals; one that is started
/// meanwhile never does.
class NoSignals {
 public:
  NoSignals() {
    sigset_t all;
    sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~NoSignals() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  NoSignals(const NoSignals&) = delete;
  NoSignals& operator=(const NoSignals&) = delete;

 private:
  sigset_t before_;
};

}  // namespace muster
