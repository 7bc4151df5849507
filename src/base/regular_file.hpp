/// \file
/// Paths that a user gives, looked at before they are opened.
#pragma once

#include <string>
#include <string_view>

#include <muster/result.hpp>

namespace muster {

/// Whether `path` leads to a regular file. Nothing is opened: a FIFO would wait for its other end,
/// and a device might do something. `source` names it in errors, with the path: "the secret's file
/// '/run/x'". Errors, with exit code 2: `system` if it cannot be looked at; `invalid_argument` for
/// anything else, which says what it is, with `advice`.
Result<void> check_regular_file(const std::string& path, std::string_view source,
                                std::string advice = "expected the path of a file");

/// `source` cannot be read, as errno says.
Error unreadable(std::string_view source, int error);

}  // namespace muster
