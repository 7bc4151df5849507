/// \file
/// Tells the watches of a store in this process what has changed.
#pragma once

#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include <muster/bytes.hpp>
#include <muster/deadline.hpp>
#include <muster/result.hpp>
#include <muster/store.hpp>

namespace muster {

/// Resource; any number of threads. Changes are told in the order in which they were noted, one at
/// a time, by one of the threads that call deliver(), without a lock held: a handler may do
/// anything, also note further changes, which are told when it has returned.
class ChangeFeed {
 public:
  /// `limit` for a prefix that is too long, or a watch too many.
  Result<WatchId> add(std::string_view prefix, Store::OnChange on_change);
  /// When it returns, the handler runs no more, unless this is called from it. `not_found` if there
  /// is no such watch; `timeout` if its handler runs in another thread and did not return by
  /// `until`: it is not called again all the same.
  Result<void> remove(WatchId id, TimePoint until);

  /// To be called in the order of the changes; `value` is none for a key that was removed.
  void note(std::string_view key, std::optional<Bytes> value);
  /// Tells what has been noted, unless another thread, or a caller further up, is just doing that.
  /// A handler that throws ends the process.
  void deliver() noexcept;

 private:
  struct Watch {
    std::string prefix;
    Store::OnChange on_change;
    bool ended = false;
  };
  struct Delivery {
    std::shared_ptr<Watch> watch;
    std::shared_ptr<const Change> change;
  };

  std::mutex mutex_;
  std::condition_variable told_;
  WatchId last_ = 0;
  std::map<WatchId, std::shared_ptr<Watch>> watches_;
  std::deque<Delivery> queue_;
  std::optional<std::thread::id> deliverer_;
  const Watch* running_ = nullptr;  ///< whose handler runs
};

}  // namespace muster
