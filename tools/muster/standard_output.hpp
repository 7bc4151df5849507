/// \file
/// What the tool prints for its user, and whether that got it.
#pragma once

#include <string_view>

#include <muster/result.hpp>

namespace muster::tool {

/// Appends `text` to the standard output. That it cannot be written is said by flush_output().
/// One thread at a time.
void put(std::string_view text);

/// Writes what has been put. Errors: `system`, with the reason of the first failure since the last
/// call; what was put is dropped then, so that every failure is told once.
Result<void> flush_output();

}  // namespace muster::tool
