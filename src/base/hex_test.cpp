#include "base/hex.hpp"

#include <array>
#include <gtest/gtest.h>

#include <muster/digest.hpp>

namespace muster {
namespace {

TEST(FromHex, UndoesToHexForEveryByte) {
  for (int value = 0; value < 256; ++value) {
    const std::array<std::byte, 1> byte{static_cast<std::byte>(value)};
    std::array<std::byte, 1> back{};
    EXPECT_TRUE(from_hex(to_hex(byte), back));
    EXPECT_EQ(back, byte);
  }
}

TEST(FromHex, TakesExactlyTwiceAsManyDigits) {
  std::array<std::byte, 2> bytes{};
  EXPECT_TRUE(from_hex("00ff", bytes));
  EXPECT_FALSE(from_hex("00f", bytes));
  EXPECT_FALSE(from_hex("00ff0", bytes));
  EXPECT_FALSE(from_hex("", bytes));
  EXPECT_TRUE(from_hex("", {}));
}

TEST(FromHex, RefusesAllButLowerCaseDigits) {
  std::array<std::byte, 1> byte{};
  for (const char* text :
       {"0A", "A0", "0g", "0/", "0:", "0`", " 0", "+1", "-1", "0x", "\xff\xff"}) {
    EXPECT_FALSE(from_hex(text, byte)) << text;
  }
  EXPECT_FALSE(from_hex(std::string_view("0\0", 2), byte));
}

}  // namespace
}  // namespace muster
