/// \file
/// What Muster's server hears from a rank that joins, and how much it says until the rank is
/// released.
#pragma once

#include <cstddef>
#include <cstdint>

#include <muster/bytes.hpp>

namespace muster::bench {

inline constexpr const char* job_name = "bench";

Value muster_hello(std::uint32_t rank, std::uint32_t size);
/// Server hello, welcome and `mustered` together.
std::size_t released_bytes();

}  // namespace muster::bench
