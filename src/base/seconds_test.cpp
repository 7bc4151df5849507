#include "base/seconds.hpp"

#include <gtest/gtest.h>

namespace muster {
namespace {

using namespace std::chrono_literals;

TEST(Seconds, AreReadFromAllOfTheText) {
  EXPECT_EQ(parse_seconds("0", 60s), Duration{0s});
  EXPECT_EQ(parse_seconds("0.25", 60s), Duration{250ms});
  EXPECT_EQ(parse_seconds("1e1", 60s), Duration{10s});
  EXPECT_EQ(parse_seconds("60", 60s), Duration{60s});
  for (const char* text :
       {"", "x", "1 ", " 1", "1s", "+1", "-1", "60.001", "1e300", "nan", "inf"}) {
    EXPECT_EQ(parse_seconds(text, 60s), std::nullopt) << text;
  }
}

TEST(Seconds, OfFixedFormHaveNoExponent) {
  EXPECT_EQ(parse_seconds("2.5", 60s, std::chars_format::fixed), Duration{2500ms});
  EXPECT_EQ(parse_seconds("1e1", 60s, std::chars_format::fixed), std::nullopt);
}

TEST(Seconds, GoForthAndBack) {
  EXPECT_EQ(to_seconds(1500ms), 1.5);
  EXPECT_EQ(from_seconds(1.5), Duration{1500ms});
}

}  // namespace
}  // namespace muster
