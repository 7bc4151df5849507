/// \file
/// Files that are there whole or not at all.
#pragma once

#include <string>

#include <muster/result.hpp>

namespace muster::tool {

/// Makes `path` hold `text`, for this user's eyes only (mode 0600): written aside and renamed, so
/// that a reader finds the old file, the new one, or none. Errors: `system`; then nothing has
/// changed. Only a regular file is replaced: `invalid_argument` for anything else.
Result<void> replace_file(const std::string& path, const std::string& text);

}  // namespace muster::tool
