/// \file
/// Where random bytes come from: the system's generator in production, a seed in the simulator.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace muster {

/// Resource; one thread at a time.
class Random {
 public:
  virtual ~Random() = default;
  virtual void fill(std::span<std::byte> bytes) = 0;

  std::uint64_t next();
  /// Uniform in 0 .. bound - 1; bound > 0.
  std::uint64_t below(std::uint64_t bound);
};

/// Cryptographically strong, never fails (it ends the process if the system has no randomness). Any
/// number of threads.
Random& system_random();

/// Reproducible, not secret: SplitMix64 (Steele, Lea, Flood, OOPSLA 2014).
class SeededRandom : public Random {
 public:
  explicit SeededRandom(std::uint64_t seed) : state_(seed) {}
  void fill(std::span<std::byte> bytes) override;

 private:
  std::uint64_t state_;
};

}  // namespace muster
