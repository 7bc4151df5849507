#include <gtest/gtest.h>
#include <limits>

#include <muster/f332.hpp>

#include "accord/schedule.hpp"
#include "base/random.hpp"

namespace muster::f332 {
namespace {

constexpr std::uint64_t last_generation = (std::uint64_t{1} << 63) - 1;
constexpr double infinity = std::numeric_limits<double>::infinity();

TEST(F332, SelfTestPasses) {
  const auto tested = self_test();
  EXPECT_TRUE(tested.ok()) << tested.error().text();
}

TEST(F332, FingerprintIsBoundToTheEpoch) {
  const Config config{.interval = 60, .timeout = 5, .jitter = 0.1};
  Epoch other;
  other.bytes[31] = std::byte{1};
  EXPECT_NE(fingerprint(Epoch{}, config).value(), fingerprint(other, config).value());
}

TEST(F332, ZeroJitterHasOneForm) {
  EXPECT_EQ(fingerprint(Epoch{}, {.interval = 60, .timeout = 5, .jitter = 0.0}).value(),
            fingerprint(Epoch{}, {.interval = 60, .timeout = 5, .jitter = -0.0}).value());
}

TEST(F332, TakesTheLimits) {
  EXPECT_TRUE(fingerprint(Epoch{}, {.interval = 0, .timeout = 5e-324, .jitter = 0.5}).ok());
  EXPECT_TRUE(request_token(Epoch{}, 1, Digest{}).ok());
  EXPECT_TRUE(request_token(Epoch{}, last_generation, Digest{}).ok());
  EXPECT_TRUE(delay(Epoch{}, last_generation, 60, 0.5).ok());
}

TEST(F332, RefusalsNameTheValueAndTheReason) {
  const auto what = [](double interval, double jitter) {
    const auto refused = delay(Epoch{}, 1, interval, jitter);
    EXPECT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().code, Code::invalid_argument);
    return refused.error().what;
  };
  EXPECT_EQ(what(-1e-9, 0.1), "interval -1e-09 is negative; expected seconds, 0 or more");
  EXPECT_EQ(what(infinity, 0.1), "interval inf is not finite; expected seconds, 0 or more");
  EXPECT_EQ(what(60, 0.5000000000000001),
            "jitter 0.5000000000000001 is above 0.5; expected a fraction, 0 to 0.5");
  EXPECT_EQ(what(60, -0.001), "jitter -0.001 is negative; expected a fraction, 0 to 0.5");
  EXPECT_EQ(what(60, -infinity), "jitter -inf is not finite; expected a fraction, 0 to 0.5");
  EXPECT_EQ(what(1.7976931348623157e308, 0.5),
            "interval 1.7976931348623157e+308 overflows: with jitter 0.5 the longest delay, "
            "interval * (1 + jitter), is not finite");
}

TEST(F332, GenerationsOutOfRangeAreRefused) {
  for (const std::uint64_t generation :
       {std::uint64_t{0}, last_generation + 1, ~std::uint64_t{0}}) {
    EXPECT_EQ(delay(Epoch{}, generation, 60, 0.1).error().what,
              "generation " + std::to_string(generation) +
                  " is out of range; expected 1 to 9223372036854775807");
    EXPECT_FALSE(request_token(Epoch{}, generation, Digest{}).ok());
  }
}

TEST(F332, DelayIsTheIntervalWithoutRoomForMore) {
  EXPECT_EQ(delay(Epoch{}, 1, 0, 0.5).value(), 0);
  EXPECT_EQ(delay(Epoch{}, 1, 60, 0).value(), 60);
  EXPECT_EQ(delay(Epoch{}, 1, 60, -0.0).value(), 60);
  EXPECT_EQ(delay(Epoch{}, 1, 60, 1e-17).value(), 60);
}

TEST(F332, DelayStaysBelowItsEnd) {
  SeededRandom random(332);
  for (int i = 0; i < 20'000; ++i) {
    Digest digest;
    random.fill(digest);
    const double interval = 1e-3 * static_cast<double>(1 + random.below(100'000'000));
    const double jitter = 1e-6 * static_cast<double>(1 + random.below(500'000));
    const double seconds = delay_from_digest(digest, interval, jitter);
    ASSERT_GE(seconds, interval);
    ASSERT_LT(seconds, interval * (1.0 + jitter));
  }
}

}  // namespace
}  // namespace muster::f332
