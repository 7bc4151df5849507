/// \file
/// Which job the user means.
#pragma once

#include <string>

#include <muster/result.hpp>

namespace muster::tool {

/// The URL that `given` stands for: a URL as it is, a job file's path (it holds a '/'), or the name
/// of a live job of this user. Errors: `not_found`, `invalid_argument`, `system`.
Result<std::string> find_url(const std::string& given);

/// The same when nothing was given: MUSTER_URL, else that of the only live job. Errors: `not_found`
/// without any, `invalid_argument` with several, naming them.
Result<std::string> find_url();

}  // namespace muster::tool
