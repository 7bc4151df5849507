/// \file
/// A range of ports that nobody has parsed.
#pragma once

#include <muster/port_range.hpp>
#include <muster/result.hpp>

namespace muster {

/// Errors: `invalid_argument`, with the range and what is expected.
Result<void> check_port_range(const PortRange& range);

}  // namespace muster
