/// \file
/// A libuv loop on a thread of its own.
#pragma once

#include <functional>
#include <future>
#include <mutex>
#include <thread>
#include <type_traits>
#include <uv.h>
#include <vector>

#include <muster/result.hpp>

namespace muster::server {

/// Resource. Everything on the loop happens on its thread; other threads post() work to it.
class Loop {
 public:
  Loop() = default;
  /// After the thread has ended.
  ~Loop();
  Loop(const Loop&) = delete;

  /// Once, before anything else. `system` if the process has no descriptors left for it: then
  /// there is no loop, work is not taken, and the rest does nothing.
  Result<void> open();
  uv_loop_t* get() { return &loop_; }

  /// Starts the thread, with all signals blocked: they are the application's. `system` if there can
  /// be no thread: then join() does what was posted.
  Result<void> start();
  /// Runs `work` on the loop's thread, in order; false, and nothing done, once the loop has ended.
  bool post(std::function<void()> work);
  /// The same, and returns what it returned; called on the loop's thread it runs at once. Once the
  /// loop has ended it runs here, since nobody else can be at it.
  template <class Work>
  auto call(Work&& work) -> std::invoke_result_t<Work> {
    if (std::this_thread::get_id() == thread_.get_id()) return work();
    std::packaged_task<std::invoke_result_t<Work>()> task(std::forward<Work>(work));
    auto result = task.get_future();
    if (!post([&task] { task(); })) {
      join();
      task();
    }
    return result.get();
  }

  /// On the loop's thread: no more work is taken; the thread ends when all handles are closed.
  void finish();
  /// Waits for the thread; a loop that was never started is run to its end here. Idempotent, any
  /// thread but the loop's.
  void join();

 private:
  void run_posted();

  uv_loop_t loop_{};
  uv_async_t bell_{};
  std::thread thread_;
  std::mutex mutex_;
  std::vector<std::function<void()>> posted_;
  bool open_ = false;
  bool finished_ = true;  ///< takes no work
  std::mutex join_mutex_;
  bool started_ = false;
};

}  // namespace muster::server
