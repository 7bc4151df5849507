/// \file
/// Asking a resolver that may take its time, or never answer.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include <muster/deadline.hpp>
#include <muster/result.hpp>

#include "net/resolve.hpp"

namespace muster::net {

/// Resource; one thread. The look-ups of one name that are on their way, each in a thread that
/// nobody has to wait for: this may go before they end.
class LookUps {
 public:
  LookUps(const Url& url, const Resolver& resolver) : url_(url), resolver_(resolver) {}

  /// Begins one. Errors: `system` if there is no thread for it.
  Result<void> ask(int family);
  /// One that has ended; nothing at `deadline`, or if none is on its way.
  std::optional<Lookup> next(TimePoint deadline);
  /// How many have not been taken by next().
  std::size_t on_their_way() const { return asked_ - taken_; }

 private:
  struct Inbox {
    std::mutex mutex;
    std::condition_variable arrived;
    std::vector<Lookup> lookups;
  };

  const Url& url_;
  const Resolver& resolver_;
  std::shared_ptr<Inbox> inbox_ = std::make_shared<Inbox>();
  std::size_t asked_ = 0;
  std::size_t taken_ = 0;
};

}  // namespace muster::net
