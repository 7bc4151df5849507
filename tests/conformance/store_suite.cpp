#include "conformance/store_suite.hpp"

#include <gmock/gmock.h>
#include <limits>
#include <string>
#include <vector>

namespace muster::conformance {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::HasSubstr;

constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();

}  // namespace

bool StoreSuite::lacks_many() {
  if (traits().many) return false;
  const std::string_view keys[] = {"k"};
  EXPECT_EQ(code_of(store_->wait(keys, Deadline::in(0s))), Code::unsupported);
  EXPECT_EQ(code_of(store_->multi_get(keys)), Code::unsupported);
  EXPECT_EQ(code_of(store_->multi_set(std::vector<KeyValue>{{"k", {}}})), Code::unsupported);
  EXPECT_EQ(code_of(store_->get("k")), Code::not_found);
  return true;
}

bool StoreSuite::lacks_list() {
  if (traits().list) return false;
  EXPECT_EQ(code_of(store_->list("")), Code::unsupported);
  return true;
}

bool StoreSuite::lacks_watch() {
  if (traits().watch) return false;
  EXPECT_EQ(code_of(store_->watch("", [](const Change&) {})), Code::unsupported);
  EXPECT_EQ(code_of(store_->unwatch(1)), Code::unsupported);
  return true;
}

void StoreSuite::set(Store& store, std::string_view key, std::string_view value) {
  const auto done = store.set(key, as_bytes(value));
  ASSERT_TRUE(done) << done.error().text();
}

std::string StoreSuite::get(Store& store, std::string_view key) {
  const auto value = store.get(key);
  return value ? std::string(as_text(*value)) : value.error().text();
}

TEST_P(StoreSuite, SetGetReplaceRemove) {
  EXPECT_EQ(code_of(store_->get("k")), Code::not_found);
  set("k", "one");
  EXPECT_EQ(get("k"), "one");
  set("k", "two");
  EXPECT_EQ(get("k"), "two");
  EXPECT_TRUE(store_->remove("k").value());
  EXPECT_FALSE(store_->remove("k").value());
  EXPECT_EQ(code_of(store_->get("k")), Code::not_found);
}

TEST_P(StoreSuite, GetDoesNotWait) {
  const TimePoint begun = Clock::now();
  const auto answer = store_->get("nobody's", Deadline::in(600s));
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, Code::not_found);
  EXPECT_THAT(answer.error().what, HasSubstr("nobody\\x27s'"));
  EXPECT_LT(Clock::now() - begun, 60s);
}

TEST_P(StoreSuite, ClientsSeeEachOther) {
  const auto other = service_->connect();
  set("k", "mine");
  EXPECT_EQ(get(*other, "k"), "mine");
  EXPECT_EQ(other->add("n", 2).value(), 2);
  EXPECT_EQ(store_->add("n", 3).value(), 5);
  EXPECT_TRUE(other->remove("k").value());
  EXPECT_EQ(code_of(store_->get("k")), Code::not_found);
}

TEST_P(StoreSuite, ValuesUpToTheLimit) {
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{1}, traits().value_bytes_max}) {
    Value value(bytes, std::byte{0x5A});
    if (bytes > 0) value.back() = std::byte{0};
    const auto done = store_->set("k", value);
    ASSERT_TRUE(done) << bytes << ": " << done.error().text();
    const auto got = store_->get("k");
    ASSERT_TRUE(got) << bytes << ": " << got.error().text();
    EXPECT_TRUE(*got == value) << bytes;
    EXPECT_EQ(store_->wait_get("k").value().size(), bytes);
  }
  const auto over = store_->set("k", Value(traits().value_bytes_max + 1));
  ASSERT_FALSE(over);
  EXPECT_EQ(over.error().code, Code::limit);
  EXPECT_THAT(over.error().what, HasSubstr(std::to_string(traits().value_bytes_max)));
  EXPECT_EQ(store_->get("k").value().size(), traits().value_bytes_max)
      << "the link survives, the old value stands";
}

TEST_P(StoreSuite, KeysOfAnyBytes) {
  const std::string longest(traits().key_bytes_max, 'k');
  const std::vector<std::string> keys{"a",
                                      "a/b",
                                      "a/b/",
                                      "/",
                                      std::string("nul\0inside", 10),
                                      std::string(1, '\0'),
                                      "schl\xc3\xbcssel \xe2\x9c\x93",
                                      "\xff\xfe not UTF-8",
                                      " ",
                                      "new\nline",
                                      longest};
  for (const std::string& key : keys) set(key, "value of " + key);
  for (const std::string& key : keys) EXPECT_EQ(get(key), "value of " + key);
  for (const std::string& key : keys) EXPECT_TRUE(store_->remove(key).value());
}

TEST_P(StoreSuite, KeysOutOfRange) {
  for (const std::string& key : {std::string(), std::string(traits().key_bytes_max + 1, 'k')}) {
    EXPECT_EQ(code_of(store_->set(key, {})), Code::limit);
    EXPECT_EQ(code_of(store_->get(key)), Code::limit);
    EXPECT_EQ(code_of(store_->add(key, 1)), Code::limit);
    EXPECT_EQ(code_of(store_->remove(key)), Code::limit);
    const auto waited = store_->wait_get(key);
    ASSERT_FALSE(waited);
    EXPECT_EQ(waited.error().code, Code::limit);
    EXPECT_THAT(waited.error().what, AllOf(HasSubstr(std::to_string(traits().key_bytes_max)),
                                           HasSubstr(std::to_string(key.size()))));
  }
  set("k", "still usable");
}

TEST_P(StoreSuite, AddCountsFromNothing) {
  EXPECT_EQ(store_->add("n", 0).value(), 0);
  EXPECT_EQ(store_->add("n", 41).value(), 41);
  EXPECT_EQ(store_->add("n", -42).value(), -1);
  EXPECT_EQ(get("n"), "-1") << "a decimal text like any value";
  set("n", "7");
  EXPECT_EQ(store_->add("n", 1).value(), 8);
  EXPECT_EQ(store_->add("most", most).value(), most);
  EXPECT_EQ(store_->add("least", least).value(), least);
}

TEST_P(StoreSuite, AddToWhatIsNoNumberLeavesIt) {
  for (const char* text : {"", "abc", "1x", " 1", "1.5", "9223372036854775808"}) {
    set("k", text);
    const auto answer = store_->add("k", 1);
    ASSERT_FALSE(answer) << text;
    EXPECT_EQ(answer.error().code, Code::invalid_argument) << text;
    EXPECT_THAT(answer.error().what, HasSubstr("k'"));
    EXPECT_EQ(get("k"), text);
  }
}

TEST_P(StoreSuite, AddBeyond64BitsLeavesTheValue) {
  const Code refused = traits().limits_what_grows ? Code::limit : Code::invalid_argument;
  EXPECT_EQ(store_->add("k", most).value(), most);
  EXPECT_EQ(code_of(store_->add("k", 1)), refused);
  EXPECT_EQ(get("k"), std::to_string(most));
  EXPECT_EQ(store_->add("j", least).value(), least);
  EXPECT_EQ(code_of(store_->add("j", -1)), refused);
  EXPECT_EQ(get("j"), std::to_string(least));
}

TEST_P(StoreSuite, OnlyRanksOwnKeys) {
  const auto owned = store_->set_owned("k", as_bytes("v"));
  ASSERT_FALSE(owned);
  EXPECT_EQ(owned.error().code, traits().owning);
  EXPECT_THAT(owned.error().text(), HasSubstr("k'"));
  EXPECT_EQ(code_of(store_->get("k")), Code::not_found);
}

}  // namespace muster::conformance
