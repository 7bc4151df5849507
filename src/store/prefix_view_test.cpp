#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include <muster/store.hpp>

#include "base/limits.hpp"

namespace muster {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class PrefixViewTest : public testing::Test {
 protected:
  std::unique_ptr<Store> store = make_table_store();
  std::unique_ptr<Store> view = make_prefix_view(*store, "a");
};

TEST_F(PrefixViewTest, EveryKeyStandsBehindThePrefixAndASlash) {
  const auto other = make_prefix_view(*store, "ab");
  EXPECT_TRUE(view->set("bc", as_bytes("1")));
  EXPECT_TRUE(other->set("c", as_bytes("2")));
  EXPECT_TRUE(store->set("a", as_bytes("not of the view")));
  EXPECT_THAT(store->list("").value().keys, ElementsAre("a", "a/bc", "ab/c"));
  EXPECT_THAT(view->list("").value().keys, ElementsAre("bc"));
  EXPECT_EQ(as_text(view->get("bc").value()), "1");
  EXPECT_THAT(view->get("c").error().what, HasSubstr("'a/c'"));
}

TEST_F(PrefixViewTest, ThePrefixMayBeAnything) {
  const auto nameless = make_prefix_view(*store, "");
  EXPECT_TRUE(nameless->set("k", {}));
  EXPECT_TRUE(store->get("/k"));
  const auto nested = make_prefix_view(*view, "b");
  EXPECT_TRUE(nested->set("k", {}));
  EXPECT_TRUE(store->get("a/b/k"));
  EXPECT_THAT(nested->list("").value().keys, ElementsAre("k"));
  EXPECT_THAT(nested->set("", {}).error().what, HasSubstr("'a/b/' a key has 1 to 1020 bytes"));
}

TEST_F(PrefixViewTest, WhatComesOutIsWithoutThePrefix) {
  std::vector<std::string> told;
  const WatchId watch =
      view->watch("k", [&](const Change& change) { told.push_back(change.key); }).value();
  const std::vector<KeyValue> entries{{"k1", {}}, {"k2", {}}, {"l", {}}};
  EXPECT_TRUE(view->multi_set(entries));
  EXPECT_TRUE(store->set("k3", {}));
  EXPECT_THAT(told, ElementsAre("k1", "k2"));
  EXPECT_EQ(view->list("k", "k1").value().keys, std::vector<std::string>{"k2"});
  EXPECT_TRUE(store->unwatch(watch)) << "the watch is the store's, and so is its number";
  EXPECT_EQ(view->unwatch(watch).error().code, Code::not_found);
}

TEST_F(PrefixViewTest, AKeyHasTheRoomThatThePrefixLeaves) {
  const std::string longest(limits::key_bytes_max - 2, 'k');
  EXPECT_TRUE(view->set(longest, {}));
  const Error over = view->set(longest + "k", {}).error();
  EXPECT_EQ(over.code, Code::limit);
  EXPECT_EQ(over.what,
            "behind the view's prefix 'a/' a key has 1 to 1022 bytes, this one has 1023");
  EXPECT_EQ(view->set("", {}).error().code, Code::limit) << "'a/' is a key, but not of the view";
  const std::vector<std::string_view> keys{"k", ""};
  EXPECT_EQ(view->wait(keys).error().code, Code::limit);
  EXPECT_EQ(view->multi_get(keys).error().code, Code::limit);

  const auto full = make_prefix_view(*store, std::string(limits::key_bytes_max - 1, 'p'));
  EXPECT_THAT(full->set("k", {}).error().what, HasSubstr("of 1024 bytes leaves no room"));
  const auto over_full = make_prefix_view(*store, std::string(limits::key_bytes_max, 'p'));
  EXPECT_EQ(over_full->get("k").error().code, Code::limit);
  EXPECT_EQ(over_full->list("").error().code, Code::limit);
}

}  // namespace
}  // namespace muster
