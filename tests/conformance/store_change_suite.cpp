// append and compare_set.
#include <gmock/gmock.h>
#include <optional>
#include <string>

#include "conformance/store_suite.hpp"

namespace muster::conformance {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::optional<Bytes> expected(std::optional<std::string_view> text) {
  if (!text) return std::nullopt;
  return as_bytes(*text);
}

/// "swapped old", "kept (absent)".
std::string swap(Store& store, std::string_view key, std::optional<std::string_view> from,
                 std::string_view to) {
  const auto done = store.compare_set(key, expected(from), as_bytes(to));
  if (!done) return done.error().text();
  const std::string before = done->before ? std::string(as_text(*done->before)) : "(absent)";
  return (done->swapped ? "swapped " : "kept ") + before;
}

}  // namespace

TEST_P(StoreSuite, AppendPutsBehindWhatIsThere) {
  EXPECT_EQ(store_->append("k", as_bytes("one")).value(), 3U);
  EXPECT_EQ(store_->append("k", as_bytes("-two")).value(), 7U);
  EXPECT_EQ(store_->append("k", {}).value(), 7U);
  EXPECT_EQ(get("k"), "one-two");
  EXPECT_EQ(store_->append("empty", {}).value(), 0U);
  EXPECT_EQ(get("empty"), "");
}

TEST_P(StoreSuite, AppendFillsAValueToItsLimitAndNoFurther) {
  if (!traits().limits_what_grows) return;
  const Value half(traits().value_bytes_max / 2, std::byte{'h'});
  EXPECT_EQ(store_->append("k", half).value(), half.size());
  EXPECT_EQ(store_->append("k", Bytes(half).subspan(1)).value(), traits().value_bytes_max - 1);
  const auto over = store_->append("k", as_bytes("xy"));
  ASSERT_FALSE(over);
  EXPECT_EQ(over.error().code, Code::limit);
  EXPECT_THAT(over.error().what,
              AllOf(HasSubstr("k'"), HasSubstr(std::to_string(traits().value_bytes_max))));
  EXPECT_EQ(store_->append("k", as_bytes("z")).value(), traits().value_bytes_max);
  EXPECT_EQ(code_of(store_->append("k", as_bytes("z"))), Code::limit);
  const Value whole = store_->get("k").value();
  ASSERT_EQ(whole.size(), traits().value_bytes_max);
  EXPECT_EQ(whole.back(), std::byte{'z'});
}

TEST_P(StoreSuite, AppendsOfManyThreadsAreAllThere) {
  const auto other = service_->connect();
  {
    Threads workers;
    for (int worker = 0; worker < 4; ++worker) {
      workers.emplace_back([&, worker] {
        Store& store = worker % 2 == 0 ? *store_ : *other;
        const std::string mine(40, static_cast<char>('a' + worker));
        for (int i = 0; i < 50; ++i) ASSERT_TRUE(store.append("k", as_bytes(mine)));
      });
    }
  }
  const std::string whole = get("k");
  ASSERT_EQ(whole.size(), 4 * 50 * 40U);
  int counts[4] = {};
  for (std::size_t at = 0; at < whole.size(); at += 40) {
    EXPECT_EQ(whole.substr(at, 40), std::string(40, whole[at])) << "in one piece";
    ++counts[whole[at] - 'a'];
  }
  EXPECT_THAT(counts, testing::Each(50));
}

TEST_P(StoreSuite, CompareSetSwapsOnlyWhatItExpects) {
  EXPECT_EQ(swap(*store_, "k", "old", "new"), "kept (absent)");
  EXPECT_EQ(code_of(store_->get("k")), Code::not_found);
  EXPECT_EQ(swap(*store_, "k", std::nullopt, "first"), "swapped (absent)");
  EXPECT_EQ(swap(*store_, "k", std::nullopt, "second"), "kept first");
  EXPECT_EQ(swap(*store_, "k", "f", "second"), "kept first");
  EXPECT_EQ(swap(*store_, "k", "first!", "second"), "kept first");
  EXPECT_EQ(swap(*store_, "k", "first", "second"), "swapped first");
  EXPECT_EQ(get("k"), "second");
  const std::string large(1U << 20, 'x');
  EXPECT_EQ(swap(*store_, "k", "second", large), "swapped second");
  EXPECT_EQ(swap(*store_, "k", "second", "third"), "kept " + large);
  EXPECT_EQ(swap(*store_, "k", large, ""), "swapped " + large);
  EXPECT_EQ(get("k"), "");
}

TEST_P(StoreSuite, CompareSetTellsAbsentFromEmpty) {
  if (!traits().absent_is_not_empty) {
    const auto refused = store_->compare_set("k", Bytes{}, as_bytes("v"));
    EXPECT_EQ(code_of(refused), Code::unsupported);
    return;
  }
  EXPECT_EQ(swap(*store_, "k", "", "v"), "kept (absent)");
  EXPECT_EQ(swap(*store_, "k", std::nullopt, ""), "swapped (absent)");
  EXPECT_EQ(swap(*store_, "k", std::nullopt, "v"), "kept ");
  EXPECT_EQ(swap(*store_, "k", "", "v"), "swapped ");
  EXPECT_EQ(get("k"), "v");
}

TEST_P(StoreSuite, CompareSetHasTheLimitsOfKeysAndValues) {
  const Value value(traits().value_bytes_max + 1);
  EXPECT_EQ(code_of(store_->compare_set("", std::nullopt, {})), Code::limit);
  EXPECT_EQ(code_of(store_->compare_set("k", std::nullopt, value)), Code::limit);
  EXPECT_EQ(code_of(store_->compare_set("k", Bytes(value).first(1), Bytes(value).subspan(1))),
            Code::limit)
      << "together they are over the limit of a value";
  const Bytes largest = Bytes(value).subspan(1);
  EXPECT_TRUE(store_->compare_set("k", std::nullopt, largest).value().swapped);
  EXPECT_EQ(store_->get("k").value().size(), largest.size());
}

TEST_P(StoreSuite, OneOfManyWinsEachSwap) {
  const auto other = service_->connect();
  set("n", "0");
  {
    Threads workers;
    for (int worker = 0; worker < 4; ++worker) {
      workers.emplace_back([&, worker] {
        Store& store = worker % 2 == 0 ? *store_ : *other;
        std::string seen = "0";
        for (int swaps = 0; swaps < 25;) {
          const std::string next = std::to_string(std::stoi(seen) + 1);
          const auto done = store.compare_set("n", as_bytes(seen), as_bytes(next));
          ASSERT_TRUE(done) << done.error().text();
          swaps += done->swapped ? 1 : 0;
          seen = done->swapped ? next : std::string(as_text(*done->before));
        }
      });
    }
  }
  EXPECT_EQ(get("n"), "100");
}

}  // namespace muster::conformance
