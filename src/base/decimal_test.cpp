#include "base/decimal.hpp"

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <gtest/gtest.h>
#include <limits>

#include "base/random.hpp"

namespace muster {
namespace {

TEST(Decimal, IsTheShortestThatReadsBack) {
  EXPECT_EQ(decimal(0.1), "0.1");
  EXPECT_EQ(decimal(0.1 + 0.2), "0.30000000000000004");
  EXPECT_EQ(decimal(123456789.125), "123456789.125");
  EXPECT_EQ(decimal(std::numeric_limits<double>::denorm_min()), "5e-324");
  EXPECT_EQ(decimal(std::numeric_limits<double>::max()), "1.7976931348623157e+308");
}

TEST(Decimal, WholeNumbersStayReal) {
  EXPECT_EQ(decimal(60), "60.0");
  EXPECT_EQ(decimal(-3), "-3.0");
  EXPECT_EQ(decimal(0.0), "0.0");
  EXPECT_EQ(decimal(-0.0), "-0.0");
}

TEST(Decimal, TheNotationChangesAtTheBounds) {
  EXPECT_EQ(decimal(1e-4), "0.0001");
  EXPECT_EQ(decimal(std::nextafter(1e-4, 0)), "9.999999999999999e-05");
  EXPECT_EQ(decimal(std::nextafter(1e16, 0)), "9999999999999998.0");
  EXPECT_EQ(decimal(1e16), "1e+16");
  EXPECT_EQ(decimal(-1e22), "-1e+22");
}

TEST(Decimal, NamesWhatIsNotFinite) {
  EXPECT_EQ(decimal(std::numeric_limits<double>::quiet_NaN()), "nan");
  EXPECT_EQ(decimal(-std::numeric_limits<double>::quiet_NaN()), "nan");
  EXPECT_EQ(decimal(std::numeric_limits<double>::infinity()), "inf");
  EXPECT_EQ(decimal(-std::numeric_limits<double>::infinity()), "-inf");
}

TEST(Decimal, AnyBitsReadBack) {
  SeededRandom random(7);
  for (int i = 0; i < 20'000; ++i) {
    const auto number = std::bit_cast<double>(random.next());
    if (std::isnan(number)) continue;
    const std::string text = decimal(number);
    ASSERT_EQ(std::bit_cast<std::uint64_t>(std::strtod(text.c_str(), nullptr)),
              std::bit_cast<std::uint64_t>(number))
        << text;
  }
}

}  // namespace
}  // namespace muster
