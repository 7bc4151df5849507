/// \file
/// Who this process is, as others are told.
#pragma once

#include <cstdint>
#include <string>

namespace muster {

/// The host's own name; no name server is asked.
std::string host_name();
std::uint32_t process_id();

}  // namespace muster
