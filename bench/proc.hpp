/// \file
/// What the kernel knows of a process.
#pragma once

#include <cstdint>
#include <string>
#include <sys/types.h>

namespace muster::bench {

/// A number of a file in /proc that has lines "NAME: NUMBER".
std::int64_t number_in(const std::string& file, const std::string& name);

/// Memory that no file stands behind.
std::int64_t own_memory_bytes(pid_t process);
/// Of all its threads so far.
std::int64_t cpu_time_ns(pid_t process);

}  // namespace muster::bench
