/// \file
/// Join options, checked before anything is opened.
#pragma once

#include <muster/join_options.hpp>
#include <muster/result.hpp>

#include "net/url.hpp"

namespace muster {

/// The parsed URL; or `invalid_argument` for the first option that is wrong: which one, what was
/// given, what is expected.
Result<net::Url> check_options(const JoinOptions& options);

}  // namespace muster
