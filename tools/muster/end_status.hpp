/// \file
/// How a process ended.
#pragma once

#include <string>

namespace muster::tool {

/// Value.
struct EndStatus {
  bool signalled = false;
  int number = 0;  ///< the signal, or the exit code

  /// From what waitpid() reports of a process that has ended.
  static EndStatus from_wait(int wait_status);

  /// As a shell has it: the exit code, or 128 + signal.
  int code() const { return signalled ? 128 + number : number; }
  /// "ended with exit code 3", "was ended by signal 9 (Killed)".
  std::string text() const;

  bool operator==(const EndStatus&) const = default;
};

}  // namespace muster::tool
