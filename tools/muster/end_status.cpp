#include "end_status.hpp"

#include <cstring>
#include <fmt/format.h>
#include <sys/wait.h>

namespace muster::tool {

EndStatus EndStatus::from_wait(int wait_status) {
  if (WIFSIGNALED(wait_status)) return {.signalled = true, .number = WTERMSIG(wait_status)};
  return {.signalled = false, .number = WEXITSTATUS(wait_status)};
}

std::string EndStatus::text() const {
  if (!signalled) return fmt::format("ended with exit code {}", number);
  return fmt::format("was ended by signal {} ({})", number, strsignal(number));
}

}  // namespace muster::tool
