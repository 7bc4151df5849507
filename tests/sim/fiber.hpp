/// \file
/// A stack of its own and the thread of control on it: what a rank runs on in the simulator.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

namespace muster::sim {

/// Resource; one host thread. Runs one body after the other; between two it is idle and can be used
/// again, which costs nothing, while making one costs system calls. A body must not let an
/// exception out: that ends the process.
class Fiber {
 public:
  Fiber();
  /// The fiber must be idle: what lives on a stack can't be destroyed from outside.
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  /// Runs `body` until it suspends or returns. Only when idle.
  void start(std::function<void()> body);
  /// Goes on where the body suspended, until it suspends again or returns.
  void resume();
  /// From within the body: back to who called start() or resume().
  void suspend();

  /// The last body has returned, or there was none yet.
  bool idle() const { return idle_; }

 private:
  /// One of the two ends of a switch. The last four are for the sanitizers only.
  struct Side {
    void* context = nullptr;
    const void* stack_bottom = nullptr;
    std::size_t stack_bytes = 0;
    void* fake_stack = nullptr;
    void* thread = nullptr;
  };
  struct Entry;

  void cross(Side& from, Side& to, bool for_good);
  void run_bodies() noexcept;

  void* mapping_ = nullptr;
  Side inside_;
  Side outside_;
  std::function<void()> body_;
  bool idle_ = true;
  bool ending_ = false;
};

/// Resource; one host thread. Fibers that wait for their next body. All must have been given back
/// when it is destroyed.
class FiberPool {
 public:
  ~FiberPool();

  Fiber& take();
  /// Only an idle one.
  void give_back(Fiber& fiber);

 private:
  std::vector<std::unique_ptr<Fiber>> all_;
  std::vector<Fiber*> free_;
};

}  // namespace muster::sim
