/// \file
/// Folders that only this user can enter.
#pragma once

#include <string>

#include <muster/result.hpp>

namespace muster::tool {

/// TMPDIR, else /tmp.
std::string temporary_folder();

/// Checks that `path` is a folder (no link) of this user that nobody else may enter. Errors:
/// `system`, with what was found and what to do.
Result<void> check_private_folder(const std::string& path);

/// Makes `path`, mode 0700, if it is not there, and checks it.
Result<void> make_private_folder(const std::string& path);

}  // namespace muster::tool
