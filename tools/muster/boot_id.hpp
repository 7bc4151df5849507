/// \file
/// Which boot of this host it is.
#pragma once

#include <string>

namespace muster::tool {

/// The kernel's random text for it, another one after each boot; empty if it does not say.
std::string boot_id();

}  // namespace muster::tool
