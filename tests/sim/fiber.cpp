#include "fiber.hpp"

#include <sys/mman.h>
#include <unistd.h>
#include <utility>

#include <boost/context/detail/fcontext.hpp>

#include "base/assert.hpp"

#if defined(__has_feature)
#define SIM_HAS_FEATURE(name) __has_feature(name)
#else
#define SIM_HAS_FEATURE(name) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || SIM_HAS_FEATURE(address_sanitizer)
#define SIM_ASAN 1
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#else
#define SIM_ASAN 0
#endif
#if defined(__SANITIZE_THREAD__) || SIM_HAS_FEATURE(thread_sanitizer)
#define SIM_TSAN 1
#include <sanitizer/tsan_interface.h>
#else
#define SIM_TSAN 0
#endif

namespace muster::sim {
namespace {

using boost::context::detail::jump_fcontext;
using boost::context::detail::make_fcontext;
using boost::context::detail::transfer_t;

/// Only what is touched costs memory; the sanitizers' frames are large.
constexpr std::size_t stack_bytes = 256U << 10;

std::size_t page_bytes() {
  static const auto bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

/// A stack with a page below it that nobody may touch.
void* map_stack() {
  void* mapping = mmap(nullptr, page_bytes() + stack_bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK | MAP_NORESERVE, -1, 0);
  MUSTER_ASSERT(mapping != MAP_FAILED);
  MUSTER_ASSERT(mprotect(mapping, page_bytes(), PROT_NONE) == 0);
  return mapping;
}

}  // namespace

struct Fiber::Entry {
  static void enter(transfer_t came) {
    auto* fiber = static_cast<Fiber*>(came.data);
    fiber->outside_.context = came.fctx;
#if SIM_ASAN
    __sanitizer_finish_switch_fiber(nullptr, &fiber->outside_.stack_bottom,
                                    &fiber->outside_.stack_bytes);
#endif
    fiber->run_bodies();
  }
};

Fiber::Fiber() : mapping_(map_stack()) {
  auto* bottom = static_cast<std::byte*>(mapping_) + page_bytes();
  inside_.stack_bottom = bottom;
  inside_.stack_bytes = stack_bytes;
  inside_.context = make_fcontext(bottom + stack_bytes, stack_bytes, &Entry::enter);
#if SIM_TSAN
  inside_.thread = __tsan_create_fiber(0);
#endif
}

Fiber::~Fiber() {
  MUSTER_ASSERT(idle_);
  // Let the stack unwind to its end, so that the sanitizers can forget it.
  ending_ = true;
  cross(outside_, inside_, false);
#if SIM_TSAN
  __tsan_destroy_fiber(inside_.thread);
#endif
#if SIM_ASAN
  __asan_unpoison_memory_region(inside_.stack_bottom, inside_.stack_bytes);
#endif
  munmap(mapping_, page_bytes() + stack_bytes);
}

void Fiber::start(std::function<void()> body) {
  MUSTER_ASSERT(idle_);
  body_ = std::move(body);
  idle_ = false;
  resume();
}

void Fiber::resume() {
  MUSTER_ASSERT(!idle_);
  cross(outside_, inside_, false);
}

void Fiber::suspend() {
  cross(inside_, outside_, false);
}

/// The one place where stacks change. Both directions pass through it, and the announcement stands
/// in the function that jumps, so that on each stack its entry and its exit meet.
void Fiber::cross([[maybe_unused]] Side& from, Side& to, [[maybe_unused]] bool for_good) {
#if SIM_ASAN
  __sanitizer_start_switch_fiber(for_good ? nullptr : &from.fake_stack, to.stack_bottom,
                                 to.stack_bytes);
#endif
#if SIM_TSAN
  from.thread = __tsan_get_current_fiber();
  __tsan_switch_to_fiber(to.thread, 0);
#endif
  const transfer_t came = jump_fcontext(to.context, this);
  to.context = came.fctx;
#if SIM_ASAN
  __sanitizer_finish_switch_fiber(from.fake_stack, &to.stack_bottom, &to.stack_bytes);
#endif
}

void Fiber::run_bodies() noexcept {
  while (!ending_) {
    if (body_) body_();
    body_ = nullptr;
    idle_ = true;
    suspend();
  }
  cross(inside_, outside_, true);
}

FiberPool::~FiberPool() {
  MUSTER_ASSERT(free_.size() == all_.size());
}

Fiber& FiberPool::take() {
  if (free_.empty()) {
    all_.push_back(std::make_unique<Fiber>());
    free_.push_back(all_.back().get());
  }
  Fiber& fiber = *free_.back();
  free_.pop_back();
  return fiber;
}

void FiberPool::give_back(Fiber& fiber) {
  MUSTER_ASSERT(fiber.idle());
  free_.push_back(&fiber);
}

}  // namespace muster::sim
