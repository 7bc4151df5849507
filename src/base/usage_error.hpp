/// \file
/// Errors of whoever set something that cannot be used: code invalid_argument, and exit code 2
/// (docs/reference/exit-codes.md).
#pragma once

#include <string>
#include <string_view>

#include <muster/result.hpp>

namespace muster {

Error usage_error(std::string what, std::string advice = {});

/// `error`, which concerns what `setting` says: an option, or an environment variable.
Error named(std::string_view setting, Error error);

}  // namespace muster
