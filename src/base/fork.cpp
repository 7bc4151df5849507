#include "base/fork.hpp"

#include <fmt/format.h>
#include <pthread.h>
#include <unistd.h>

#include "base/assert.hpp"
#include "base/host.hpp"

namespace muster {
namespace {

std::mutex forks;
OwnDescriptor* first = nullptr;  ///< of all; guarded by `forks`

}  // namespace

std::atomic<std::uint32_t> fork_generation{0};

/// What is done around each fork(), by the thread that calls it. In the child only what is safe
/// after a fork of many threads: no memory, no locks but the one that this thread took.
struct ForkHandlers {
  static void prepare() { forks.lock(); }
  static void in_parent() { forks.unlock(); }
  static void in_child() {
    fork_generation.fetch_add(1, std::memory_order_relaxed);
    for (const OwnDescriptor* each = first; each != nullptr; each = each->behind_) {
      ::close(each->fd_);
    }
    first = nullptr;
    forks.unlock();
  }
  ForkHandlers() {
    // Fails for want of memory alone, while the library is loaded.
    MUSTER_ASSERT(pthread_atfork(prepare, in_parent, in_child) == 0);
  }
};

namespace {

const ForkHandlers handlers;

}  // namespace

HomeProcess::HomeProcess()
    : generation_(fork_generation.load(std::memory_order_relaxed)), pid_(process_id()) {}

Error HomeProcess::error() const {
  return Error{.code = Code::invalid_state,
               .what = fmt::format("this job belongs to process {}, and this is a forked child of "
                                   "it, process {}",
                                   pid_, process_id()),
               .advice = "a forked child joins by itself; or fork before joining"};
}

std::unique_lock<std::mutex> hold_forks() {
  return std::unique_lock(forks);
}

OwnDescriptor::OwnDescriptor(int fd) : fd_(fd) {
  const std::lock_guard lock(forks);
  behind_ = first;
  if (first != nullptr) first->before_ = this;
  first = this;
}

OwnDescriptor::~OwnDescriptor() {
  const std::lock_guard lock(forks);
  if (before_ != nullptr) before_->behind_ = behind_;
  if (behind_ != nullptr) behind_->before_ = before_;
  if (first == this) first = behind_;
}

}  // namespace muster
