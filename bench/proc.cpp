#include "proc.hpp"

#include <ctime>
#include <fstream>

#include "crew.hpp"

namespace muster::bench {

std::int64_t number_in(const std::string& file, const std::string& name) {
  std::ifstream lines(file);
  std::string line;
  while (std::getline(lines, line)) {
    if (line.starts_with(name + ":")) return std::stoll(line.substr(name.size() + 1));
  }
  give_up("no " + name + " in " + file);
}

std::int64_t own_memory_bytes(pid_t process) {
  return 1024 * number_in("/proc/" + std::to_string(process) + "/status", "RssAnon");
}

std::int64_t cpu_time_ns(pid_t process) {
  clockid_t clock{};
  timespec used{};
  if (clock_getcpuclockid(process, &clock) != 0 || clock_gettime(clock, &used) != 0) {
    give_up("no clock of a process");
  }
  return std::int64_t{used.tv_sec} * 1'000'000'000 + used.tv_nsec;
}

}  // namespace muster::bench
