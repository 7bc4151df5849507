/// \file
/// Virtual time: fibers that wait, events that come due, and an order among them that the seed
/// decides.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <muster/deadline.hpp>

#include "dice.hpp"
#include "fiber.hpp"

namespace muster::sim {

/// Resource; one host thread. Work takes no virtual time; only waiting does. What is due at the
/// same time happens in an order drawn from the seed.
class Scheduler {
 public:
  /// One simulated thread. Lives as long as its scheduler.
  class Thread;

  /// How run() ended.
  enum class End : std::uint8_t {
    quiet,     ///< every thread has ended and nothing is due any more
    deadlock,  ///< nothing can happen any more, but threads wait
    endless,   ///< there is still work after `events_max` events
  };

  Scheduler(FiberPool& pool, std::uint64_t seed);
  /// Every thread must have ended: after a deadlock or an endless run, call abandon() first.
  ~Scheduler();
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  TimePoint now() const { return now_; }
  /// Since the beginning of the simulation.
  Duration elapsed() const { return now_ - beginning(); }
  static TimePoint beginning() { return TimePoint{std::chrono::seconds{1000}}; }

  /// Runs `task` at `when`, or, if that is past, among what is due now.
  void at(TimePoint when, std::function<void()> task);

  /// A thread that begins at `when`.
  Thread& spawn(std::string name, TimePoint when, std::function<void()> body);

  /// The thread that runs now; only from within one.
  Thread& current();
  bool in_thread() const { return current_ != nullptr; }

  /// From within a thread: waits until somebody wakes it (true) or `deadline` has come (false).
  /// Whoever waits for a condition asks again afterwards.
  bool wait(TimePoint deadline);
  void sleep(Duration duration);
  /// The thread, if it waits, goes on among what is due now. Otherwise nothing: it will look at its
  /// condition before it waits.
  void wake(Thread& thread);

  End run(std::uint64_t events_max);
  /// From now on every wait returns at once, and all threads run to their end, in a host's fixed
  /// order: so that stacks unwind after a failure. The threads must give up when abandoned() says
  /// so.
  void abandon();
  bool abandoned() const { return abandoned_; }

  /// The names of the threads that have not ended.
  std::vector<std::string> alive() const;
  std::uint64_t events() const { return events_; }

 private:
  struct Event {
    std::function<void()> task;
    Thread* thread = nullptr;  ///< a thread to go on, instead of a task
    std::uint64_t wait = 0;    ///< ... if it is still in this wait
  };
  struct Due {
    TimePoint at;
    std::uint64_t order;
    std::uint32_t event;
  };

  void put(TimePoint when, Event event);
  Event pop();
  void go_on(Thread& thread);

  FiberPool& pool_;
  Dice dice_;
  TimePoint now_ = beginning();
  std::vector<Due> due_;
  std::vector<Event> slots_;
  std::vector<std::uint32_t> free_;
  std::vector<std::unique_ptr<Thread>> threads_;
  Thread* current_ = nullptr;
  std::size_t living_ = 0;
  std::uint64_t events_ = 0;
  bool abandoned_ = false;
};

}  // namespace muster::sim
