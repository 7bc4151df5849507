#include "base/random.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <openssl/rand.h>

#include "base/assert.hpp"

namespace muster {
namespace {

class SystemRandom : public Random {
 public:
  void fill(std::span<std::byte> bytes) override {
    const int done =
        RAND_bytes(reinterpret_cast<unsigned char*>(bytes.data()), static_cast<int>(bytes.size()));
    MUSTER_ASSERT(done == 1);
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
