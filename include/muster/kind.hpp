/// \file
/// The collectives, by name.
#pragma once

#include <cstdint>

#include <muster/export.hpp>

namespace muster {

/// Which collective. The numbers are on the wire.
enum class Kind : std::uint8_t {
  barrier = 1,
  broadcast = 2,
  gather = 3,
  allgather = 4,
  allgatherv = 5,
  exchange = 6,
  scatter = 7,
  alltoall = 8,
};
MUSTER_API const char* name(Kind kind);

}  // namespace muster
