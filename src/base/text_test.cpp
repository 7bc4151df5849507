#include "base/text.hpp"

#include <cstdint>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace muster {
namespace {

TEST(Utf8, WellFormedAtTheEdges) {
  for (const char* text :
       {"", "a", "\x7f", "\xc2\x80", "\xdf\xbf", "\xe0\xa0\x80", "\xed\x9f\xbf", "\xee\x80\x80",
        "\xef\xbf\xbf", "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf", "gr\xc3\xbc\xc3\x9f dich"}) {
    EXPECT_TRUE(is_utf8(text)) << muster::quoted(text);
  }
  EXPECT_TRUE(is_utf8(std::string_view("a\0b", 3)));
}

TEST(Utf8, Malformed) {
  for (const char* text : {"\x80", "\xbf", "\xc0\x80", "\xc1\xbf", "\xc2", "\xc2 ", "\xc2\xc2",
                           "\xe0\x9f\xbf", "\xed\xa0\x80", "\xed\xbf\xbf", "\xe1\x80", "\xe1\x80 ",
                           "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80", "\xf1\x80\x80",
                           "\xf5\x80\x80\x80", "\xf8\x88\x80\x80\x80", "\xff", "good\xfe"}) {
    EXPECT_FALSE(is_utf8(text)) << muster::quoted(text);
  }
}

TEST(Printable, LeavesTextAlone) {
  EXPECT_EQ(printable("rank 3: gr\xc3\xbc\xc3\x9f \xf0\x9f\x90\x8c"),
            "rank 3: gr\xc3\xbc\xc3\x9f \xf0\x9f\x90\x8c");
  EXPECT_EQ(printable(""), "");
}

TEST(Printable, TakesControlCharactersOut) {
  EXPECT_EQ(printable("a\nb\tc"), "a b c");
  EXPECT_EQ(printable("\x1b[31mred\x7f\r\x01"), "?[31mred???");
  EXPECT_EQ(printable(std::string_view("a\0b", 3)), "a?b");
  // C1: a terminal takes C2 9B for ESC [.
  EXPECT_EQ(printable("a\xc2\x80"
                      "b\xc2\x9b"
                      "c\xc2\x9f"
                      "d\xc2\xa0"),
            "a?b?c?d\xc2\xa0");
}

TEST(Printable, TakesBrokenUtf8Out) {
  EXPECT_EQ(printable("a\xff\xc3"), "a??");
  EXPECT_EQ(printable("\xe2\x82z"), "??z");
  EXPECT_EQ(printable("\xed\xa0\x80"), "???");
}

TEST(Printable, CutsPastTheLimitOnly) {
  EXPECT_EQ(printable("12345678", 8), "12345678");
  EXPECT_EQ(printable("123456789", 8), "12345...");
  EXPECT_EQ(printable(std::string(512, 'a')).size(), 512U);
  EXPECT_EQ(printable(std::string(513, 'a')), std::string(509, 'a') + "...");
}

TEST(Printable, CutsBetweenCharacters) {
  for (std::size_t bytes_max = 0; bytes_max < 12; ++bytes_max) {
    const std::string line =
        printable("\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac", bytes_max);
    EXPECT_TRUE(is_utf8(line)) << bytes_max;
    EXPECT_LE(line.size(), bytes_max);
  }
  EXPECT_EQ(printable("\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac", 8), "\xe2\x82\xac...");
}

TEST(Quoted, ShowsEveryByteAsAscii) {
  EXPECT_EQ(muster::quoted(""), "''");
  EXPECT_EQ(muster::quoted("addr/3"), "'addr/3'");
  EXPECT_EQ(muster::quoted("muster1:4d5553"), "'muster1:... (14 bytes)'") << "a secret";
  EXPECT_EQ(muster::quoted("tcp://muster1:4d"), "'tcp://muster1:... (16 bytes)'");
  EXPECT_EQ(muster::quoted(std::string_view("a\0'\\\n\xff", 6)), "'a\\x00\\x27\\x5c\\x0a\\xff'");
}

TEST(Quoted, CutsAfter64Bytes) {
  EXPECT_EQ(muster::quoted(std::string(64, 'k')), "'" + std::string(64, 'k') + "'");
  EXPECT_EQ(muster::quoted(std::string(65, 'k')), "'" + std::string(64, 'k') + "... (65 bytes)'");
}

std::string ranges(const std::vector<std::uint32_t>& ranks, std::size_t items_max = 16) {
  return rank_ranges(ranks, items_max);
}

TEST(RankRanges, JoinsNeighbours) {
  EXPECT_EQ(ranges({}), "");
  EXPECT_EQ(ranges({5}), "5");
  EXPECT_EQ(ranges({0, 1, 2, 3, 7, 9, 10}), "0-3, 7, 9-10");
  EXPECT_EQ(ranges({0xfffffffe, 0xffffffff}), "4294967294-4294967295");
}

TEST(RankRanges, EndsPastItsLimitOnly) {
  EXPECT_EQ(ranges({0, 2, 4}, 3), "0, 2, 4");
  EXPECT_EQ(ranges({0, 2, 4, 6, 7}, 3), "0, 2, 4, ... (5 in all)");
}

}  // namespace
}  // namespace muster
