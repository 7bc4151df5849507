#include "scheduler.hpp"

#include <algorithm>
#include <utility>

#include "base/assert.hpp"

namespace muster::sim {

class Scheduler::Thread {
 public:
  Thread(std::string given_name, std::function<void()> given_body)
      : name(std::move(given_name)), body(std::move(given_body)) {}

  std::string name;
  std::function<void()> body;
  Fiber* fiber = nullptr;  ///< from its first step to its last
  std::uint64_t wait = 0;  ///< numbers its waits, so that an old timer finds that it is late
  bool waiting = false;
  bool woken = false;
  bool ended = false;
};

namespace {

/// Turns the heap of <algorithm> so that the earliest is on top.
constexpr auto later = [](const auto& a, const auto& b) {
  return a.at != b.at ? a.at > b.at : a.order > b.order;
};

}  // namespace

Scheduler::Scheduler(FiberPool& pool, std::uint64_t seed) : pool_(pool), dice_(seed) {}

Scheduler::~Scheduler() {
  MUSTER_ASSERT(living_ == 0);
}

void Scheduler::put(TimePoint when, Event event) {
  if (free_.empty()) {
    free_.push_back(static_cast<std::uint32_t>(slots_.size()));
    slots_.emplace_back();
  }
  const std::uint32_t slot = free_.back();
  free_.pop_back();
  slots_[slot] = std::move(event);
  due_.push_back({std::max(when, now_), dice_.next(), slot});
  std::push_heap(due_.begin(), due_.end(), later);
}

Scheduler::Event Scheduler::pop() {
  std::pop_heap(due_.begin(), due_.end(), later);
  const Due due = due_.back();
  due_.pop_back();
  Event event = std::exchange(slots_[due.event], Event{});
  free_.push_back(due.event);
  // A timer that nobody waits for any more is not worth the time until it.
  if (event.thread == nullptr || (event.thread->waiting && event.thread->wait == event.wait)) {
    now_ = due.at;
  }
  return event;
}

void Scheduler::at(TimePoint when, std::function<void()> task) {
  put(when, Event{std::move(task), nullptr, 0});
}

Scheduler::Thread& Scheduler::spawn(std::string name, TimePoint when, std::function<void()> body) {
  threads_.push_back(std::make_unique<Thread>(std::move(name), std::move(body)));
  Thread& thread = *threads_.back();
  ++living_;
  thread.waiting = true;
  put(when, Event{{}, &thread, thread.wait});
  return thread;
}

Scheduler::Thread& Scheduler::current() {
  MUSTER_ASSERT(current_ != nullptr);
  return *current_;
}

bool Scheduler::wait(TimePoint deadline) {
  if (abandoned_) return false;
  Thread& thread = current();
  thread.waiting = true;
  thread.woken = false;
  ++thread.wait;
  if (deadline != TimePoint::max()) put(deadline, Event{{}, &thread, thread.wait});
  thread.fiber->suspend();
  return thread.woken;
}

void Scheduler::sleep(Duration duration) {
  const TimePoint until = now_ + duration;
  while (now_ < until && !abandoned_) wait(until);
}

void Scheduler::wake(Thread& thread) {
  if (!thread.waiting || thread.woken || thread.fiber == nullptr) return;
  thread.woken = true;
  // The timer of this wait, if it has one, is late from here on.
  ++thread.wait;
  put(now_, Event{{}, &thread, thread.wait});
}

void Scheduler::go_on(Thread& thread) {
  thread.waiting = false;
  current_ = &thread;
  if (thread.fiber == nullptr) {
    thread.fiber = &pool_.take();
    thread.fiber->start([&thread] { thread.body(); });
  } else {
    thread.fiber->resume();
  }
  current_ = nullptr;
  if (!thread.fiber->idle()) return;
  pool_.give_back(*std::exchange(thread.fiber, nullptr));
  thread.body = nullptr;
  thread.ended = true;
  --living_;
}

Scheduler::End Scheduler::run(std::uint64_t events_max) {
  const std::uint64_t last = events_ + events_max;
  while (!due_.empty()) {
    if (++events_ > last) return End::endless;
    const Event event = pop();
    if (event.thread == nullptr) {
      event.task();
    } else if (event.thread->waiting && event.thread->wait == event.wait) {
      go_on(*event.thread);
    }
  }
  return living_ == 0 ? End::quiet : End::deadlock;
}

void Scheduler::abandon() {
  abandoned_ = true;
  for (std::size_t i = 0; i < threads_.size(); ++i) {
    Thread& thread = *threads_[i];
    if (thread.ended) continue;
    if (thread.fiber == nullptr) {  // never began: nothing to unwind
      thread.ended = true;
      --living_;
    } else {
      go_on(thread);
    }
  }
  MUSTER_ASSERT(living_ == 0);
}

std::vector<std::string> Scheduler::alive() const {
  std::vector<std::string> names;
  for (const auto& thread : threads_) {
    if (!thread->ended) names.push_back(thread->name);
  }
  return names;
}

}  // namespace muster::sim
