/// \file
/// Hands what the server's thread tells its owner over to the main thread.
#pragma once

#include <mutex>
#include <vector>

#include <muster/result.hpp>

#include "net/fd.hpp"
#include "server/driver/server.hpp"

namespace muster::tool {

/// Resource; push() from any thread, the rest for one.
class JobEvents {
 public:
  /// Errors: `system`.
  static Result<std::shared_ptr<JobEvents>> make();

  /// Readable when an event waits.
  int fd() const { return fd_.get(); }
  void push(server::JobEvent event);
  /// Those that wait, in order.
  std::vector<server::JobEvent> take();

 private:
  net::Fd fd_;
  std::mutex mutex_;
  std::vector<server::JobEvent> waiting_;
};

}  // namespace muster::tool
