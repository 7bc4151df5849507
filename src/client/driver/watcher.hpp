/// \file
/// Notices what the server says while nobody calls: one thread a process, started with the first
/// link; in a forked child with its own first one.
///
/// Re-arming a link around each call would cost every call two system calls; so a link is armed
/// only after `quiet` without calls, and disarmed by the first call that follows. While all links
/// are armed or led, the thread sleeps.
///
/// Signs of life are given for all links in one go, and where possible when the thread is awake
/// anyway, because the server has just given its own: so an idle process wakes once a heartbeat.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>

#include <muster/deadline.hpp>
#include <muster/result.hpp>

namespace muster::client {

/// What the watcher watches.
class Watched {
 public:
  virtual ~Watched() = default;
  virtual int watched_fd() const = 0;
  // The next two are called under the watcher's mutex: atomics only, no lock.
  /// How many calls have begun so far; changed since the last look means busy.
  virtual std::uint64_t calls() const = 0;
  /// Whether a caller is reading the link just now.
  virtual bool led() const = 0;
  /// Takes in what has arrived, without waiting; false when the link is down for good.
  virtual bool step() = 0;
  /// Between signs of life; zero: none. Constant.
  virtual Duration heartbeat() const = 0;
  /// About so often: gives a sign of life, and judges the other side's silence. `awake`: how long
  /// the watcher has been running in all, for Pulse::silence().
  virtual void beat(Duration awake) = 0;

  /// Set by the watcher when it no longer looks every `quiet`: whoever begins a call, or stops
  /// leading, and finds it set, says busy().
  std::atomic<bool> settled{false};
};

/// Resource; any number of threads.
class Watcher {
 public:
  static constexpr std::chrono::milliseconds quiet{50};

  /// The process's, never null. `system` if it cannot be had: descriptors or threads have run out.
  static Result<Watcher*> process();

  /// Watches `link` as long as it lives. Returns its number here, never 0; or `system`.
  virtual Result<std::uint64_t> watch(const std::shared_ptr<Watched>& link) = 0;
  /// The link is in use: not to be read before it has been quiet again.
  virtual void busy(std::uint64_t id) = 0;
  /// After it returns no new step() begins.
  virtual void unwatch(std::uint64_t id) = 0;

 protected:
  ~Watcher() = default;
};

}  // namespace muster::client
