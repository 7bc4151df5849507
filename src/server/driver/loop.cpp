#include "server/driver/loop.hpp"

#include <csignal>
#include <utility>

#include "base/assert.hpp"

namespace muster::server {

Loop::Loop() {
  const int made = uv_loop_init(&loop_);
  MUSTER_ASSERT(made == 0);
  bell_.data = this;
  const int bell = uv_async_init(
      &loop_, &bell_, [](uv_async_t* handle) { static_cast<Loop*>(handle->data)->run_posted(); });
  MUSTER_ASSERT(bell == 0);
}

Loop::~Loop() {
  join();
  const int closed = uv_loop_close(&loop_);
  MUSTER_ASSERT(closed == 0);  // a handle was left open
}

void Loop::start() {
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  started_ = true;
  thread_ = std::thread([this] { uv_run(&loop_, UV_RUN_DEFAULT); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

bool Loop::post(std::function<void()> work) {
  const std::lock_guard lock(mutex_);
  if (finished_) return false;
  posted_.push_back(std::move(work));
  uv_async_send(&bell_);
  return true;
}

void Loop::run_posted() {
  std::vector<std::function<void()>> work;
  {
    const std::lock_guard lock(mutex_);
    work.swap(posted_);
  }
  for (const auto& each : work) each();
}

void Loop::finish() {
  {
    const std::lock_guard lock(mutex_);
    finished_ = true;
  }
  // What was posted before is still done; nothing can be posted any more.
  run_posted();
  uv_close(reinterpret_cast<uv_handle_t*>(&bell_), nullptr);
}

void Loop::join() {
  const std::lock_guard lock(join_mutex_);
  if (!std::exchange(started_, true)) uv_run(&loop_, UV_RUN_DEFAULT);
  if (thread_.joinable()) thread_.join();
}

}  // namespace muster::server
