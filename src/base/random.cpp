#include "base/random.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstring>
#include <sys/random.h>

#include "base/assert.hpp"

namespace muster {
namespace {

/// The kernel's, not a generator of this process: starting OpenSSL's took each rank that joins
/// eight million instructions, for a nonce.
class SystemRandom : public Random {
 public:
  void fill(std::span<std::byte> bytes) override {
    while (!bytes.empty()) {
      const ssize_t got = ::getrandom(bytes.data(), bytes.size(), 0);
      MUSTER_ASSERT(got > 0 || errno == EINTR);
      if (got > 0) bytes = bytes.subspan(static_cast<std::size_t>(got));
    }
  }
};

}  // namespace

std::uint64_t Random::next() {
  std::array<std::byte, 8> bytes;
  fill(bytes);
  return std::bit_cast<std::uint64_t>(bytes);
}

std::uint64_t Random::below(std::uint64_t bound) {
  MUSTER_ASSERT(bound > 0);
  // Drawing again below 2^64 mod bound leaves a range that bound divides evenly.
  const std::uint64_t uneven = (0 - bound) % bound;
  for (;;) {
    const std::uint64_t drawn = next();
    if (drawn >= uneven) return drawn % bound;
  }
}

Random& system_random() {
  static SystemRandom random;
  return random;
}

void SeededRandom::fill(std::span<std::byte> bytes) {
  while (!bytes.empty()) {
    state_ += 0x9E3779B97F4A7C15U;
    std::uint64_t word = state_;
    word = (word ^ (word >> 30)) * 0xBF58476D1CE4E5B9U;
    word = (word ^ (word >> 27)) * 0x94D049BB133111EBU;
    word ^= word >> 31;
    const std::size_t count = std::min<std::size_t>(bytes.size(), 8);
    std::memcpy(bytes.data(), &word, count);
    bytes = bytes.subspan(count);
  }
}

}  // namespace muster
