/// \file
/// Room in the process's table of descriptors, made before it is needed.
#pragma once

#include <cstddef>

namespace muster::server {

/// So that `count` descriptors more can be opened without a pause, as far as the limit of open
/// files lets them be opened at all. Best effort: without it everything works, slower.
void make_descriptor_room(std::size_t count);

}  // namespace muster::server
