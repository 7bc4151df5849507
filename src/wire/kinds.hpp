/// \file
/// What is common to collectives of several kinds.
#pragma once

#include <muster/kind.hpp>

namespace muster::wire {

/// The numbers on the wire stand side by side.
constexpr bool known(Kind kind) {
  return kind >= Kind::barrier && kind <= Kind::alltoall;
}

/// Who brings something brings a payload for each rank, and each rank gets its own.
constexpr bool deals(Kind kind) {
  return kind == Kind::scatter || kind == Kind::alltoall;
}

/// All that is brought has one size, and another one is a mismatch.
constexpr bool has_one_size(Kind kind) {
  return kind == Kind::allgather || kind == Kind::alltoall;
}

}  // namespace muster::wire
