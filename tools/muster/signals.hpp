/// \file
/// Signals as something to poll.
#pragma once

#include <csignal>
#include <vector>

#include <muster/result.hpp>

#include "net/fd.hpp"

namespace muster::tool {

/// Resource. Takes SIGCHLD, SIGINT, SIGTERM and SIGHUP away from their handlers for this thread
/// and those that it makes later, and SIGPIPE from the whole process: one of a process's first
/// deeds.
class Signals {
 public:
  static Result<Signals> take();

  /// Readable when a signal has come.
  int fd() const { return fd_.get(); }
  /// Those that have come since the last call.
  std::vector<int> read() const;
  /// The mask as it was, for the programs that this process starts.
  const sigset_t& mask_before() const { return mask_before_; }

 private:
  net::Fd fd_;
  sigset_t mask_before_{};
};

}  // namespace muster::tool
