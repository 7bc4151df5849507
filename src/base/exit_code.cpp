#include "base/exit_code.hpp"

#include <fmt/format.h>

namespace muster {

Result<void> check_exit_code(int exit_code) {
  if (exit_code >= 1 && exit_code <= 255) return {};
  return Error{.code = Code::invalid_argument,
               .what = fmt::format("exit code {} for a failed job", exit_code),
               .advice = "expected 1 to 255: what a process can end with and not look well"};
}

}  // namespace muster
