#include "base/integer.hpp"

#include <gtest/gtest.h>
#include <limits>
#include <string>

namespace muster {
namespace {

TEST(ParseInteger, TakesWhatIsOneAsAWhole) {
  constexpr auto most = std::numeric_limits<std::int64_t>::max();
  constexpr auto least = std::numeric_limits<std::int64_t>::min();
  EXPECT_EQ(parse_integer("0"), 0);
  EXPECT_EQ(parse_integer("-7"), -7);
  EXPECT_EQ(parse_integer("007"), 7);
  EXPECT_EQ(parse_integer(std::to_string(most)), most);
  EXPECT_EQ(parse_integer(std::to_string(least)), least);
}

TEST(ParseInteger, AndNothingElse) {
  for (const char* text : {"", "+7", " 7", "7 ", "7x", "x", "-", "1.5", "0x10",
                           "9223372036854775808", "-9223372036854775809"}) {
    EXPECT_EQ(parse_integer(text), std::nullopt) << text;
  }
}

TEST(ParseCount, TakesDigitsThatFit) {
  EXPECT_EQ(parse_count<std::uint32_t>("007"), 7U);
  EXPECT_EQ(parse_count<std::uint32_t>("4294967295"), 4294967295U);
  EXPECT_EQ(parse_count<int>("2147483647"), 2147483647);
  for (const char* text : {"", "-1", "-0", "+7", "7x", "4294967296"}) {
    EXPECT_EQ(parse_count<std::uint32_t>(text), std::nullopt) << text;
  }
  EXPECT_EQ(parse_count<int>("2147483648"), std::nullopt);
}

}  // namespace
}  // namespace muster
