/// \file
/// What a forked child must not touch, since it is its parent's: locks that threads hold which the
/// child does not have, and connections whose other end takes the child's words for the parent's.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string_view>

#include <muster/result.hpp>

namespace muster {

/// How many forks lie between this process and the one that loaded the library. Children of a plain
/// system call, without libc, are not counted.
extern std::atomic<std::uint32_t> fork_generation;

/// Value. The process that something was made in.
class HomeProcess {
 public:
  HomeProcess();

  /// Whether this is that process, and not a forked child of it.
  bool here() const { return generation_ == fork_generation.load(std::memory_order_relaxed); }
  /// What a call in a child gets.
  Error error() const;

 private:
  std::uint32_t generation_;
  std::uint32_t pid_;
};

/// While it is held no thread of this process forks. Not to be asked for by who has it.
[[nodiscard]] std::unique_lock<std::mutex> hold_forks();

/// Resource. A descriptor that a forked child does not get: it is closed there before fork()
/// returns. So nobody takes the child's life for the parent's, and whoever owns the descriptor in
/// the parent must not be destroyed in the child.
class OwnDescriptor {
 public:
  /// `fd` stays open as long as this lives.
  explicit OwnDescriptor(int fd);
  ~OwnDescriptor();
  OwnDescriptor(const OwnDescriptor&) = delete;
  OwnDescriptor& operator=(const OwnDescriptor&) = delete;

 private:
  friend struct ForkHandlers;

  const int fd_;
  OwnDescriptor* before_ = nullptr;
  OwnDescriptor* behind_ = nullptr;
};

}  // namespace muster
