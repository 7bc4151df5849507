#include "base/random.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <gtest/gtest.h>
#include <span>
#include <vector>

namespace muster {
namespace {

TEST(SeededRandom, IsSplitMix64) {
  // Reference outputs for seed 1234567 (Vigna's splitmix64.c).
  SeededRandom random(1234567);
  EXPECT_EQ(random.next(), 6457827717110365317U);
  EXPECT_EQ(random.next(), 3203168211198807973U);
  EXPECT_EQ(random.next(), 9817491932198370423U);
}

TEST(SeededRandom, SameSeedSameBytes) {
  std::array<std::byte, 100> one{}, other{}, third{};
  SeededRandom(1).fill(one);
  SeededRandom(1).fill(other);
  SeededRandom(2).fill(third);
  EXPECT_EQ(one, other);
  EXPECT_NE(one, third);
}

TEST(SeededRandom, FillsEveryByteAndNoMore) {
  for (std::size_t count = 0; count < 20; ++count) {
    // A byte that is 0 sixteen times in a row is one that is never written.
    std::vector<int> written(count + 1, 0);
    SeededRandom random(7);
    for (int turn = 0; turn < 16; ++turn) {
      std::vector<std::byte> bytes(count + 1);
      random.fill(std::span(bytes).first(count));
      for (std::size_t i = 0; i <= count; ++i) written[i] += bytes[i] != std::byte{0} ? 1 : 0;
    }
    for (std::size_t i = 0; i < count; ++i) EXPECT_GT(written[i], 0) << i << " of " << count;
    EXPECT_EQ(written[count], 0);
  }
}

TEST(Below, StaysBelowAndReachesAll) {
  SeededRandom random(3);
  for (const std::uint64_t bound : {1U, 2U, 3U, 7U, 10U}) {
    std::vector<int> seen(bound, 0);
    for (std::uint64_t i = 0; i < 100 * bound; ++i) {
      const std::uint64_t drawn = random.below(bound);
      ASSERT_LT(drawn, bound);
      ++seen[drawn];
    }
    for (const int count : seen) EXPECT_GT(count, 50);
  }
}

TEST(Below, TheLargestBounds) {
  SeededRandom random(4);
  for (int i = 0; i < 100; ++i) {
    EXPECT_LT(random.below(~0ULL), ~0ULL);
    EXPECT_LT(random.below((1ULL << 63) + 1), (1ULL << 63) + 1);
  }
}

/// Says what it was told, one word a call.
class Scripted : public Random {
 public:
  explicit Scripted(std::vector<std::uint64_t> words) : words_(std::move(words)) {}
  void fill(std::span<std::byte> bytes) override {
    const std::uint64_t word = words_.at(next_++);
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      bytes[i] = static_cast<std::byte>(word >> (8 * i));
    }
  }
  std::size_t drawn() const { return next_; }

 private:
  std::vector<std::uint64_t> words_;
  std::size_t next_ = 0;
};

TEST(Below, DrawsAgainWhereTheRangeIsUneven) {
  // 2^64 mod 10 is 6: words 0 to 5 would make small numbers likelier.
  Scripted random({0, 5, 6, 16});
  EXPECT_EQ(random.below(10), 6U);
  EXPECT_EQ(random.drawn(), 3U);
  EXPECT_EQ(random.below(10), 6U);
}

TEST(BelowDeathTest, NothingIsBelowZero) {
  SeededRandom random(5);
  EXPECT_DEATH(random.below(0), "broken invariant: bound > 0");
}

TEST(SystemRandom, FillsToTheEnd) {
  std::vector<std::byte> bytes(100'000);
  system_random().fill(bytes);
  const std::span<const std::byte> last = std::span(bytes).last(64);
  EXPECT_FALSE(
      std::all_of(last.begin(), last.end(), [](std::byte b) { return b == std::byte{0}; }));
}

TEST(SystemRandom, DoesNotRepeat) {
  EXPECT_NE(system_random().next(), system_random().next());
}

}  // namespace
}  // namespace muster
