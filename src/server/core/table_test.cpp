#include "server/core/table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>
#include <map>

#include "base/limits.hpp"
#include "base/random.hpp"

namespace muster::server {
namespace {

using ::testing::HasSubstr;

constexpr std::size_t ample = 1U << 20;

std::string read(const Table& table, std::string_view key) {
  const Stored* value = table.get(key).value();
  return value == nullptr ? "(absent)" : std::string(as_text(value->bytes()));
}

TEST(Table, ReplacesAndRemoves) {
  Table table(ample);
  EXPECT_EQ(read(table, "k"), "(absent)");
  table.set("k", as_bytes("one")).value();
  table.set("k", as_bytes("")).value();
  EXPECT_EQ(read(table, "k"), "");
  EXPECT_TRUE(table.remove("k").value());
  EXPECT_FALSE(table.remove("k").value());
  EXPECT_EQ(table.bytes(), 0U);
  EXPECT_EQ(table.size(), 0U);
}

TEST(Table, KeysHaveAnyBytesUpToTheLimit) {
  Table table(ample);
  const std::string longest(limits::key_bytes_max, '\0');
  table.set(longest, as_bytes("v")).value();
  EXPECT_EQ(read(table, longest), "v");
  for (const std::string& key : {std::string{}, longest + "x"}) {
    EXPECT_EQ(table.set(key, {}).error().code, Code::limit);
    EXPECT_EQ(table.get(key).error().code, Code::limit);
    EXPECT_EQ(table.add(key, 1).error().code, Code::limit);
    EXPECT_EQ(table.remove(key).error().code, Code::limit);
  }
  EXPECT_THAT(table.get(longest + "x").error().what, HasSubstr("1025"));
}

TEST(Table, ValuesGoUpToTheLimit) {
  Table table(limits::table_bytes_max);
  const Value value(limits::value_bytes_max + 1);
  EXPECT_EQ(table.set("k", value).error().code, Code::limit);
  EXPECT_TRUE(table.set("k", Bytes(value).first(limits::value_bytes_max)).ok());
}

TEST(Table, LargeValuesAreSharedAndSmallOnesAreNot) {
  Table table(ample);
  table.set("k", Value(100)).value();
  EXPECT_EQ(table.get("k").value()->shared(), nullptr);
  table.set("k", Value(100'000)).value();
  const Shared before = table.get("k").value()->shared();
  ASSERT_NE(before, nullptr);
  table.set("k", Value(5)).value();  // who still sends the old value keeps it
  EXPECT_EQ(before->size(), 100'000U);
  EXPECT_EQ(table.get("k").value()->bytes().size(), 5U);
}

TEST(Table, TheQuotaIsExact) {
  const std::size_t cost = Table::entry_bytes + 1 + 10;
  Table table(2 * cost);
  table.set("a", Value(10)).value();
  table.set("b", Value(10)).value();
  EXPECT_EQ(table.bytes(), 2 * cost);
  const Error error = table.set("b", Value(11)).error();
  EXPECT_EQ(error.code, Code::quota);
  EXPECT_THAT(error.what, HasSubstr("150 bytes"));
  EXPECT_EQ(table.get("b").value()->bytes().size(), 10U);
  EXPECT_EQ(table.add("c", 1).error().code, Code::quota);
  EXPECT_EQ(table.size(), 2U);
  table.remove("a").value();
  EXPECT_TRUE(table.set("c", Value(10)).ok());
}

TEST(Table, AddsInDecimal) {
  Table table(ample);
  EXPECT_EQ(table.add("n", 5).value(), 5);
  EXPECT_EQ(table.add("n", -7).value(), -2);
  EXPECT_EQ(read(table, "n"), "-2");
  table.set("n", as_bytes("007")).value();
  EXPECT_EQ(table.add("n", 1).value(), 8);
  EXPECT_EQ(read(table, "n"), "8");
}

TEST(Table, AddLeavesAloneWhatItCannotAddTo) {
  Table table(ample);
  for (const char* text : {"", "x", "1x", " 1", "+1", "1.0", "9223372036854775808"}) {
    table.set("n", as_bytes(text)).value();
    EXPECT_EQ(table.add("n", 1).error().code, Code::invalid_argument) << text;
    EXPECT_EQ(read(table, "n"), text);
  }
}

TEST(Table, AddStopsAtSixtyFourBits) {
  constexpr auto most = std::numeric_limits<std::int64_t>::max();
  constexpr auto least = std::numeric_limits<std::int64_t>::min();
  Table table(ample);
  EXPECT_EQ(table.add("up", most).value(), most);
  EXPECT_EQ(table.add("up", 1).error().code, Code::limit);
  EXPECT_EQ(read(table, "up"), "9223372036854775807");
  EXPECT_EQ(table.add("down", least).value(), least);
  EXPECT_EQ(table.add("down", -1).error().code, Code::limit);
  EXPECT_EQ(table.add("down", most).value(), -1);
}

TEST(Table, CountsItsBytesLikeAPlainMap) {
  SeededRandom random(3);
  Table table(3000);
  std::map<std::string, std::string> plain;
  for (int i = 0; i < 20'000; ++i) {
    const std::string key(1 + random.below(8), 'k');
    if (random.below(4) == 0) {
      EXPECT_EQ(table.remove(key).value(), plain.erase(key) == 1);
    } else {
      const std::string value(random.below(800), 'v');
      auto changed = plain;
      changed[key] = value;
      std::size_t bytes = 0;
      for (const auto& [k, v] : changed) bytes += k.size() + v.size() + Table::entry_bytes;
      EXPECT_EQ(table.set(key, as_bytes(value)).ok(), bytes <= 3000);
      if (bytes <= 3000) plain = changed;
    }
    std::size_t bytes = 0;
    for (const auto& [k, v] : plain) bytes += k.size() + v.size() + Table::entry_bytes;
    ASSERT_EQ(table.bytes(), bytes);
    ASSERT_EQ(table.size(), plain.size());
  }
}

}  // namespace
}  // namespace muster::server
