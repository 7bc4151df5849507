/// \file
/// What the tool's processes end with (docs/reference/exit-codes.md).
#pragma once

namespace muster::tool {

inline constexpr int exit_ok = 0;
inline constexpr int exit_failed = 1;
inline constexpr int exit_usage = 2;
inline constexpr int exit_fail_closed = 70;       ///< the ranks do not agree; outranks the others
inline constexpr int exit_not_executable = 126;   ///< as shells have it
inline constexpr int exit_command_missing = 127;  ///< as shells have it
constexpr int exit_by_signal(int signal) {
  return 128 + signal;
}

}  // namespace muster::tool
