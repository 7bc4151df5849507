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
    EXPECT_EQ(table.append(key, {}).error().code, Code::limit);
    EXPECT_EQ(table.compare_set(key, std::nullopt, {}).error().code, Code::limit);
    EXPECT_EQ(table.set_owned(key, {}, 0).error().code, Code::limit);
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
  EXPECT_THAT(error.what, HasSubstr("406 bytes"));
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

TEST(Table, AppendsUpToTheLimitOfAValue) {
  Table table(limits::table_bytes_max);
  EXPECT_EQ(table.append("k", {}).value(), 0U) << "an empty value is a value";
  EXPECT_EQ(read(table, "k"), "");
  EXPECT_EQ(table.append("k", as_bytes("ab")).value(), 2U);
  EXPECT_EQ(table.append("k", as_bytes("c")).value(), 3U);
  EXPECT_EQ(read(table, "k"), "abc");
  table.set("big", Value(limits::value_bytes_max - 1)).value();
  const Error error = table.append("big", Value(2)).error();
  EXPECT_EQ(error.code, Code::limit);
  EXPECT_THAT(error.what, HasSubstr("'big' has 67108863, 2 more"));
  EXPECT_EQ(table.append("big", Value(1)).value(), limits::value_bytes_max);
  EXPECT_EQ(table.append("big", Value(1)).error().code, Code::limit);
  EXPECT_EQ(table.append("big", {}).value(), limits::value_bytes_max);
}

TEST(Table, ComparesAbsentEmptyEqualAndDifferent) {
  Table table(ample);
  const auto swap = [&](std::optional<std::string_view> expected) {
    std::optional<Bytes> bytes;
    if (expected) bytes = as_bytes(*expected);
    const Table::Compared done = table.compare_set("k", bytes, as_bytes("new")).value();
    const std::string before =
        done.before ? std::string(as_text(done.before->bytes())) : "(absent)";
    return (done.swapped ? "swapped " : "kept ") + before;
  };
  EXPECT_EQ(swap(""), "kept (absent)");
  EXPECT_EQ(swap("new"), "kept (absent)");
  EXPECT_EQ(read(table, "k"), "(absent)");
  EXPECT_EQ(swap(std::nullopt), "swapped (absent)");
  EXPECT_EQ(swap(std::nullopt), "kept new");
  EXPECT_EQ(swap("new"), "swapped new");
  table.set("k", {}).value();
  EXPECT_EQ(swap(std::nullopt), "kept ");
  EXPECT_EQ(swap("x"), "kept ");
  EXPECT_EQ(swap(""), "swapped ");
  EXPECT_EQ(read(table, "k"), "new");
}

TEST(Table, SetsAllOrNothing) {
  const std::size_t cost = Table::entry_bytes + 1 + 10;
  Table table(2 * cost);
  table.set("a", Value(10)).value();
  const Value ten(10, std::byte{'x'});
  const Value eleven(11, std::byte{'y'});
  const Error full = table.set_all(std::vector<Table::Entry>{{"a", ten}, {"b", eleven}}).error();
  EXPECT_EQ(full.code, Code::quota);
  EXPECT_THAT(full.what, HasSubstr("2 keys that cost 407 bytes"));
  EXPECT_EQ(table.bytes(), cost);
  EXPECT_EQ(table.get("a").value()->bytes()[0], std::byte{0});
  EXPECT_EQ(table.set_all(std::vector<Table::Entry>{{"a", ten}, {"", ten}}).error().code,
            Code::limit);
  EXPECT_EQ(table.size(), 1U);
  table.set_all(std::vector<Table::Entry>{{"b", eleven}, {"a", Bytes(ten).first(9)}}).value();
  EXPECT_EQ(table.bytes(), 2 * cost) << "one grows before the other makes room for it";
  EXPECT_TRUE(table.set_all({}).ok());
}

std::string listed(const Table& table, std::string_view prefix, std::string_view after = {},
                   std::size_t keys_max = 100) {
  const Table::Page page = table.list(prefix, after, keys_max);
  std::string text;
  for (const std::string_view key : page.keys) text.append(key).append(" ");
  return text + (page.more ? "..." : ".");
}

TEST(Table, ListsInTheOrderOfBytes) {
  Table table(ample);
  for (const char* key : {"b/2", "a", "b/10", "b", "\xff", "b0", "b/1"}) table.set(key, {}).value();
  EXPECT_EQ(listed(table, ""), "a b b/1 b/10 b/2 b0 \xff .");
  EXPECT_EQ(listed(table, "b/"), "b/1 b/10 b/2 .");
  EXPECT_EQ(listed(table, "b/", "", 2), "b/1 b/10 ...");
  EXPECT_EQ(listed(table, "b/", "b/10", 2), "b/2 .");
  EXPECT_EQ(listed(table, "b/", "b/1"), "b/10 b/2 .") << "what is listed may be gone by then";
  EXPECT_EQ(listed(table, "b/", "a"), "b/1 b/10 b/2 .");
  EXPECT_EQ(listed(table, "b/", "c"), ".");
  EXPECT_EQ(listed(table, "b/", "", 3), "b/1 b/10 b/2 .");
  EXPECT_EQ(listed(table, "b/", "", 0), "...");
  EXPECT_EQ(listed(table, "x"), ".");
  EXPECT_EQ(listed(table, "\xff"), "\xff .");
}

TEST(Table, APageHasItsLimits) {
  Table table(limits::table_bytes_max);
  for (std::size_t i = 0; i <= limits::listed_keys_max; ++i) {
    table.set("k" + std::to_string(100'000 + i), {}).value();
  }
  EXPECT_EQ(table.list("k", "", 1U << 30).keys.size(), limits::listed_keys_max);
  EXPECT_TRUE(table.list("k", "", 1U << 30).more);
  const std::size_t fit = limits::listed_bytes_max / limits::key_bytes_max;
  for (std::size_t i = 0; i <= fit; ++i) {
    std::string key = "l" + std::to_string(100'000 + i);
    key.resize(limits::key_bytes_max, '.');
    table.set(key, {}).value();
  }
  EXPECT_EQ(table.list("l", "", 4096).keys.size(), fit);
  EXPECT_TRUE(table.list("l", "", 4096).more);
}

TEST(Table, KnowsWhoOwnsAKeyUntilItsNextChange) {
  Table table(ample);
  const auto own = [&](const std::string& key) { table.set_owned(key, {}, 7).value(); };
  for (const char* key : {"set", "add", "append", "swap", "all", "remove", "other", "kept"}) {
    own(key);
  }
  EXPECT_EQ(table.owned_by(7).size(), 8U);
  table.set("set", {}).value();
  table.set("add", as_bytes("1")).value();
  own("add");
  EXPECT_EQ(table.add("add", 1).error().code, Code::invalid_argument);
  EXPECT_EQ(table.owned_by(7).size(), 7U) << "what fails is no change";
  table.set("add", as_bytes("1")).value();
  table.append("append", {}).value();
  EXPECT_FALSE(table.compare_set("swap", as_bytes("no"), {}).value().swapped);
  EXPECT_EQ(table.owned_by(7).size(), 5U);
  table.compare_set("swap", as_bytes(""), {}).value();
  table.set_all(std::vector<Table::Entry>{{"all", {}}}).value();
  table.remove("remove").value();
  table.set_owned("other", {}, 8).value();
  EXPECT_EQ(table.owned_by(7), std::vector<std::string>{"kept"});
  EXPECT_EQ(table.owned_by(8), std::vector<std::string>{"other"});
  EXPECT_TRUE(table.owned_by(6).empty());
}

TEST(Table, AKeyThatWentWithItsOwnerKeepsItsPlaceUntilItIsSetAnew) {
  const std::size_t cost = Table::entry_bytes + 1;
  Table table(2 * cost + Table::owned_bytes);
  table.set_owned("a", {}, 3).value();
  EXPECT_EQ(table.bytes(), cost + Table::owned_bytes);
  table.set("b", {}).value();
  table.depart("a", std::make_shared<const Departure>(Departure{Code::rank_left, {.rank = 3}}));
  EXPECT_EQ(table.bytes(), 2 * cost);
  EXPECT_EQ(table.size(), 1U);
  EXPECT_EQ(listed(table, ""), "b .");
  EXPECT_EQ(table.departure("a")->who.rank, 3U);
  EXPECT_FALSE(table.remove("a").value());
  EXPECT_NE(table.departure("a"), nullptr) << "that was no change";
  EXPECT_EQ(table.set("c", {}).error().code, Code::quota);
  EXPECT_EQ(table.set("a", Value(Table::owned_bytes + 1)).error().code, Code::quota);
  EXPECT_NE(table.departure("a"), nullptr);
  table.set("a", Value(Table::owned_bytes)).value();
  EXPECT_EQ(table.departure("a"), nullptr);
  table.remove("a").value();
  table.remove("b").value();
  EXPECT_EQ(table.bytes(), 0U);
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
