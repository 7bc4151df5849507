/// \file
/// What is published of a server instead of the address that it is bound to.
#pragma once

#include <string_view>

#include <muster/result.hpp>

#include "net/url.hpp"

namespace muster::net {

/// `bound` with the host, and the port if there is one, of `given`: "node7", "node7:4711",
/// "10.0.0.5:4711", "[fd00::5]:4711", "[fd00::5]". Nothing given: `bound` as it is.
///
/// Errors: `invalid_argument`, for what is no such text, port 0, a wildcard, or a Unix socket,
/// which nobody elsewhere can reach.
Result<Url> advertised(const Url& bound, std::string_view given);

}  // namespace muster::net
