// Several keys at one moment, and lists.
#include <atomic>
#include <gmock/gmock.h>
#include <string>
#include <vector>

#include "conformance/store_suite.hpp"

namespace muster::conformance {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

using Entries = std::vector<KeyValue>;
using Keys = std::vector<std::string_view>;

/// The values, "(absent)" where there is none.
std::vector<std::string> texts(Store& store, const Keys& keys) {
  std::vector<std::string> texts;
  const auto values = store.multi_get(keys).value();
  for (const auto& value : values) {
    texts.push_back(value ? std::string(as_text(*value)) : "(absent)");
  }
  return texts;
}

KeyPage page(Store& store, std::string_view prefix, std::string_view after = {},
             std::size_t keys_max = 4096) {
  return store.list(prefix, after, keys_max).value();
}

/// Empty values under `count` keys: `prefix` and a number of as many digits each.
void fill(Store& store, const std::string& prefix, std::size_t count, std::size_t key_bytes) {
  std::vector<std::string> keys;
  for (std::size_t i = 0; i < count; ++i) {
    keys.push_back(prefix + std::to_string(100'000 + i));
    keys.back().resize(std::max(keys.back().size(), key_bytes), '.');
  }
  for (std::size_t begun = 0; begun < count; begun += 1000) {
    Entries entries;
    for (std::size_t i = begun; i < std::min(count, begun + 1000); ++i) {
      entries.push_back({keys[i], {}});
    }
    store.multi_set(entries).value();
  }
}

}  // namespace

TEST_P(StoreSuite, MultiGetAndSetTakeSeveralKeysInOrder) {
  if (lacks_many()) return;
  EXPECT_TRUE(store_->multi_set(Entries{{"b", as_bytes("2")}, {"a", as_bytes("1")}, {"c", {}}}));
  EXPECT_THAT(texts(*store_, {"a", "nobody's", "c", "b", "a"}),
              ElementsAre("1", "(absent)", "", "2", "1"));
  EXPECT_TRUE(store_->multi_set(Entries{{"a", as_bytes("3")}, {"a", as_bytes("4")}}));
  EXPECT_EQ(get("a"), "4") << "of a key that comes twice the last value stays";
  EXPECT_TRUE(store_->multi_set({}));
  EXPECT_TRUE(store_->multi_get({}).value().empty());
}

TEST_P(StoreSuite, MultiSetSetsAllOrNothing) {
  if (lacks_many()) return;
  const std::string over(traits().key_bytes_max + 1, 'k');
  for (const std::string& bad : {std::string(), over}) {
    const auto refused = store_->multi_set(Entries{{"a", as_bytes("1")}, {bad, {}}});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, Code::limit);
    EXPECT_THAT(refused.error().what, HasSubstr(std::to_string(traits().key_bytes_max)));
    EXPECT_EQ(code_of(store_->multi_get(Keys{"a", bad})), Code::limit);
  }
  Entries entries(limits::keys_a_request_max, {"a", as_bytes("1")});
  entries.push_back({"b", {}});
  EXPECT_EQ(code_of(store_->multi_set(entries)), Code::limit);
  EXPECT_EQ(code_of(store_->get("a")), Code::not_found);
  entries.pop_back();
  EXPECT_TRUE(store_->multi_set(entries));
}

TEST_P(StoreSuite, SeveralValuesTogetherHaveALimit) {
  if (lacks_many() || !traits().one_moment) return;
  const std::size_t behind = limits::key_bytes_max - traits().key_bytes_max;  // of a view
  const std::size_t most = limits::value_bytes_max - 8192 - 2 * (1 + behind);
  const Value value(most);
  const Bytes half = Bytes(value).first(most / 2);
  const auto over =
      store_->multi_set(Entries{{"a", half}, {"b", Bytes(value).subspan(most / 2 - 1)}});
  ASSERT_FALSE(over);
  EXPECT_EQ(over.error().code, Code::limit);
  EXPECT_THAT(over.error().what, HasSubstr(std::to_string(limits::value_bytes_max - 8192)));
  EXPECT_EQ(code_of(store_->get("a")), Code::not_found);
  EXPECT_TRUE(store_->multi_set(Entries{{"a", half}, {"b", Bytes(value).subspan(most / 2)}}));
  EXPECT_EQ(store_->multi_get(Keys{"a", "b"}).value()[1]->size(), most - most / 2);
  EXPECT_EQ(code_of(store_->multi_get(Keys{"a", "b", "a"})), Code::limit);
  EXPECT_EQ(store_->get("a").value().size(), most / 2) << "the store stays usable";
}

TEST_P(StoreSuite, SeveralKeysChangeAtOneMoment) {
  if (lacks_many() || !traits().one_moment) return;
  const auto other = service_->connect();
  EXPECT_TRUE(store_->multi_set(Entries{{"x", as_bytes("0")}, {"y", as_bytes("0")}}));
  std::atomic<bool> done = false;
  std::jthread reader([&] {
    while (!done) {
      const auto seen = texts(*other, {"x", "y"});
      ASSERT_EQ(seen[0], seen[1]);
    }
  });
  for (int i = 1; i <= 300; ++i) {
    const std::string number = std::to_string(i);
    ASSERT_TRUE(store_->multi_set(Entries{{"x", as_bytes(number)}, {"y", as_bytes(number)}}));
  }
  done = true;
}

TEST_P(StoreSuite, ListGivesThePrefixInTheOrderOfBytes) {
  if (lacks_list()) return;
  for (const char* key : {"b/2", "a", "b/10", "b", "\xff", "b0", "b/1"}) set(key, "v");
  EXPECT_THAT(page(*store_, "").keys, ElementsAre("a", "b", "b/1", "b/10", "b/2", "b0", "\xff"));
  EXPECT_THAT(page(*store_, "b/").keys, ElementsAre("b/1", "b/10", "b/2"));
  EXPECT_FALSE(page(*store_, "b/").more);
  EXPECT_TRUE(page(*store_, "nothing").keys.empty());
  EXPECT_TRUE(store_->remove("b/10").value());
  EXPECT_THAT(page(*store_, "b/", "b/10").keys, ElementsAre("b/2")) << "after what is gone";
  EXPECT_THAT(page(*store_, "b/", "a").keys, ElementsAre("b/1", "b/2"));
  EXPECT_TRUE(page(*store_, "b/", "c").keys.empty());
}

TEST_P(StoreSuite, ListGivesAPageAtATime) {
  if (lacks_list()) return;
  for (const char* key : {"k1", "k2", "k3"}) set(key, "v");
  KeyPage first = page(*store_, "k", {}, 2);
  EXPECT_THAT(first.keys, ElementsAre("k1", "k2"));
  EXPECT_TRUE(first.more);
  KeyPage last = page(*store_, "k", first.keys.back(), 2);
  EXPECT_THAT(last.keys, ElementsAre("k3"));
  EXPECT_FALSE(last.more);
  EXPECT_FALSE(page(*store_, "k", {}, 3).more);
  EXPECT_TRUE(page(*store_, "k", {}, 0).keys.empty());
  EXPECT_TRUE(page(*store_, "k", {}, 0).more);
}

TEST_P(StoreSuite, APageHasALimitOfKeysAndOfBytes) {
  if (lacks_list() || lacks_many()) return;
  fill(*store_, "many/", limits::listed_keys_max + 1, 0);
  const KeyPage many = page(*store_, "many/", {}, limits::listed_keys_max + 1);
  EXPECT_EQ(many.keys.size(), limits::listed_keys_max);
  EXPECT_TRUE(many.more);
  EXPECT_EQ(page(*store_, "many/", many.keys.back()).keys.size(), 1U);

  fill(*store_, "long/", 1025, traits().key_bytes_max);
  const KeyPage longest = page(*store_, "long/");
  EXPECT_EQ(longest.keys.size(), limits::listed_bytes_max / limits::key_bytes_max);
  EXPECT_TRUE(longest.more);
  EXPECT_EQ(page(*store_, "long/", longest.keys.back()).keys.size(), 1U);
}

TEST_P(StoreSuite, APrefixIsNoLongerThanAKey) {
  if (lacks_list()) return;
  const std::string longest(traits().key_bytes_max, 'p');
  set(longest, "v");
  EXPECT_THAT(page(*store_, longest).keys, ElementsAre(longest));
  EXPECT_EQ(code_of(store_->list(longest + "p")), Code::limit);
  EXPECT_EQ(code_of(store_->list("p", longest + "p")), Code::limit);
}

}  // namespace muster::conformance
