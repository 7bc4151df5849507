/// \file
/// Integers as they are on the wire.
#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace muster::wire {

/// Writes sizeof(T) bytes at `at`.
template <std::unsigned_integral T>
void put(std::byte* at, T number) {
  // A copy is one instruction; compilers leave the portable loop a loop.
  if constexpr (std::endian::native == std::endian::little) {
    std::memcpy(at, &number, sizeof(T));
  } else {
    for (std::size_t i = 0; i < sizeof(T); ++i) {
      at[i] = static_cast<std::byte>(static_cast<std::uint64_t>(number) >> (8 * i));
    }
  }
}

/// Reads sizeof(T) bytes at `at`.
template <std::unsigned_integral T>
T get(const std::byte* at) {
  if constexpr (std::endian::native == std::endian::little) {
    T number;
    std::memcpy(&number, at, sizeof(T));
    return number;
  } else {
    std::uint64_t number = 0;
    for (std::size_t i = 0; i < sizeof(T); ++i) {
      number |= static_cast<std::uint64_t>(at[i]) << (8 * i);
    }
    return static_cast<T>(number);
  }
}

}  // namespace muster::wire
