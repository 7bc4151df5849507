/// \file
/// What the processes of a job that has failed end with.
#pragma once

#include <muster/result.hpp>

namespace muster {

/// 1 to 255: what a process can end with and not look well. Errors: `invalid_argument`.
Result<void> check_exit_code(int exit_code);

}  // namespace muster
