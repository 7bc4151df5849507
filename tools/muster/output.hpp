/// \file
/// Where the ranks' lines go: standard output or error of `muster run`.
#pragma once

#include <cstddef>
#include <string>

namespace muster::tool {

/// Resource. Bytes on their way to a descriptor that may be slow, without ever waiting for it. The
/// descriptor stays in blocking mode, since others may share it.
class Output {
 public:
  explicit Output(int fd) : fd_(fd) {}

  int fd() const { return fd_; }
  /// Append lines here.
  std::string& pending() { return pending_; }
  bool empty() const { return pending_.empty(); }
  /// Whether so much waits that the ranks should wait, too.
  bool full() const { return pending_.size() >= pending_bytes_max; }
  /// Why writing failed, as errno has it; 0 if it did not. What is pending, and what comes, is
  /// dropped then.
  int error() const { return error_; }

  /// Writes as long as that does not block.
  void write_some();
  /// Writes all, or gives up after `wait_ms` without progress.
  void write_all(int wait_ms);

 private:
  static constexpr std::size_t pending_bytes_max = 256U << 10;

  int fd_;
  std::string pending_;
  int error_ = 0;
};

}  // namespace muster::tool
