#include "server/driver/loop.hpp"

#include <array>
#include <cerrno>
#include <fcntl.h>
#include <system_error>
#include <utility>

#include "base/assert.hpp"
#include "base/no_signals.hpp"
#include "net/fd.hpp"
#include "net/wait.hpp"

namespace muster::server {
namespace {

/// What libuv opens for a process's first loop: epoll, an eventfd, two pipes.
constexpr std::size_t descriptors = 6;

/// Whether so many descriptors could be opened: 0, or errno's number. libuv ends the process if it
/// cannot have the pipe that all its loops share.
int lacks_descriptors() {
  std::array<net::Fd, descriptors> tried;
  for (net::Fd& one : tried) {
    one.reset(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    if (!one) return errno;
  }
  return 0;
}

Error no_loop(const std::string& why, std::string advice) {
  return Error{.code = Code::system,
               .phase = Phase::local,
               .what = "cannot start a server's loop: " + why,
               .advice = std::move(advice)};
}

}  // namespace

Loop::~Loop() {
  if (!open_) return;
  join();
  const int closed = uv_loop_close(&loop_);
  MUSTER_ASSERT(closed == 0);  // a handle was left open
}

Result<void> Loop::open() {
  int error = lacks_descriptors();
  if (error == 0) error = -uv_loop_init(&loop_);
  if (error == 0) {
    error = -uv_async_init(&loop_, &bell_,
                           [](uv_async_t* bell) { static_cast<Loop*>(bell->data)->run_posted(); });
    if (error != 0) uv_loop_close(&loop_);
  }
  if (error != 0) return no_loop(net::reason(error), "raise the limit of open files (ulimit -n)");
  bell_.data = this;
  open_ = true;
  finished_ = false;
  return {};
}

Result<void> Loop::start() {
  try {
    const NoSignals none;
    thread_ = std::thread([this] { uv_run(&loop_, UV_RUN_DEFAULT); });
    started_ = true;
  } catch (const std::system_error& failed) {
    return no_loop(net::reason(failed.code().value()), "raise the limit of processes (ulimit -u)");
  }
  return {};
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
  if (!open_) return;
  if (!std::exchange(started_, true)) uv_run(&loop_, UV_RUN_DEFAULT);
  if (thread_.joinable()) thread_.join();
}

}  // namespace muster::server
