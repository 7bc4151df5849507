/// \file
/// Processes of a benchmark: forked, released together, awaited with a bound, never left behind.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <pthread.h>
#include <string>
#include <sys/types.h>
#include <vector>

namespace muster::bench {

using Clock = std::chrono::steady_clock;

/// Ends the benchmark with a line on standard error: a child ends its parent too, whose other
/// children die with it.
[[noreturn]] void give_up(const std::string& why);

/// Ends the benchmark when the next measurement takes longer than `bound`, whatever it waits for.
void limit_time(std::chrono::seconds bound);

/// Moves the calling process to one core, counted among those it may use; past the last one it
/// starts again.
void pin_to(unsigned core);

inline constexpr std::size_t ranks_max = 1024;

/// Resource. Memory that all processes of one measurement share.
class Board {
 public:
  /// A gate for `ranks` processes and their parent.
  explicit Board(std::uint32_t ranks);
  ~Board();
  Board(const Board&) = delete;
  Board& operator=(const Board&) = delete;

  /// Holds everybody back until all, the parent too, have come.
  void gate();

  struct Shared {
    pthread_barrier_t gate;
    std::atomic<bool> stop;
    std::atomic<std::uint32_t> ready;
    std::atomic<std::uint32_t> done;
    /// One number a rank, of whatever the measurement wants to tell.
    std::atomic<std::int64_t> told[ranks_max];
  };
  Shared* operator->() { return shared_; }

 private:
  Shared* shared_;
};

/// Resource. `count` forked children that run `body(rank)` and end. The destructor kills and reaps
/// who is still there.
class Crew {
 public:
  Crew(std::uint32_t count, const std::function<void(std::uint32_t)>& body);
  ~Crew();
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  /// Until all have ended; gives up when one did not end well.
  void finish();
  void kill(std::uint32_t rank);
  pid_t pid(std::uint32_t rank) const { return children_[rank]; }

 private:
  std::vector<pid_t> children_;
  std::vector<bool> killed_;
};

/// Until each thread of that process sleeps in the kernel: whoever said that it is about to block
/// has blocked, and whoever was given work has done it.
void until_asleep(pid_t process);

std::int64_t now_ns();
void pause_ms(int milliseconds);

/// Of a non-empty set.
double median(std::vector<double> numbers);

}  // namespace muster::bench
