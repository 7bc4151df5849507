#include "wire/prefix_messages.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

#include "base/limits.hpp"
#include "wire/exact_message.hpp"

namespace muster::wire {
namespace {

using testing::ElementsAre;

TEST(PrefixMessages, ListBytes) {
  const Value body = body_of(ListRequest{"p/", "p/a", 7});
  EXPECT_EQ(to_hex(body),
            "0200702f"
            "0300702f61"
            "07000000");
  const auto decoded = decode_list(body);
  ASSERT_TRUE(decoded);
  EXPECT_EQ(decoded->prefix, "p/");
  EXPECT_EQ(decoded->after, "p/a");
  EXPECT_EQ(decoded->keys_max, 7U);
  expect_exact(body, decode_list);
  survive_noise(body, decode_list);
}

TEST(PrefixMessages, ListAnswerBytes) {
  const Value body = body_of(ListAnswer{true, {"a", "bc"}});
  EXPECT_EQ(to_hex(body),
            "01"
            "02000000"
            "010061"
            "02006263");
  const auto decoded = decode_list_answer(body);
  ASSERT_TRUE(decoded);
  EXPECT_TRUE(decoded->more);
  EXPECT_THAT(decoded->keys, ElementsAre("a", "bc"));
  expect_exact(body, decode_list_answer);
  expect_exact(body_of(ListAnswer{}), decode_list_answer);
  survive_noise(body, decode_list_answer);
}

TEST(PrefixMessages, AListAnswerHoldsAtMostAPage) {
  ListAnswer answer{false, std::vector<std::string_view>(limits::listed_keys_max, "k")};
  EXPECT_TRUE(decode_list_answer(body_of(answer)));
  answer.keys.emplace_back("k");
  EXPECT_FALSE(decode_list_answer(body_of(answer)));
}

TEST(PrefixMessages, WatchAndUnwatchBytes) {
  const Value watch = body_of(WatchRequest{"p/"});
  EXPECT_EQ(to_hex(watch), "0200702f");
  EXPECT_EQ(decode_watch(watch)->prefix, "p/");
  expect_exact(watch, decode_watch);
  expect_exact(body_of(WatchRequest{}), decode_watch);
  const Value unwatch = body_of(UnwatchRequest{0x01020304});
  EXPECT_EQ(to_hex(unwatch), "04030201");
  EXPECT_EQ(decode_unwatch(unwatch)->watch, 0x01020304U);
  expect_exact(unwatch, decode_unwatch);
}

TEST(PrefixMessages, ChangedTellsRemovedFromEmpty) {
  const Value body = body_of(Changed{"k1", as_bytes("v")});
  EXPECT_EQ(to_hex(body), "0102006b3176");
  EXPECT_EQ(decode_changed(body)->key, "k1");
  EXPECT_EQ(as_text(*decode_changed(body)->value), "v");
  EXPECT_TRUE(decode_changed(body_of(Changed{"k", Bytes{}}))->value.has_value());
  EXPECT_FALSE(decode_changed(body_of(Changed{"k", std::nullopt}))->value.has_value());
  EXPECT_FALSE(decode_changed(from_spaced_hex("00 0100 6b 76"))) << "removed, with a value";
  EXPECT_FALSE(decode_changed(from_spaced_hex("01 0200 6b")));
  survive_noise(body, decode_changed);
}

}  // namespace
}  // namespace muster::wire
