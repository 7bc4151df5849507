#include "wire/store_messages.hpp"

#include <gtest/gtest.h>
#include <limits>
#include <string>

#include "wire/exact_message.hpp"

namespace muster::wire {
namespace {

const std::string odd_key("a/\0\xc3\xa9", 5);

TEST(StoreMessages, SetBytes) {
  const Value body = body_of(SetRequest{"k1", as_bytes("value")});
  EXPECT_EQ(to_hex(body), "02006b3176616c7565");
  const auto decoded = decode_set(body);
  ASSERT_TRUE(decoded);
  EXPECT_EQ(decoded->key, "k1");
  EXPECT_EQ(as_text(decoded->value), "value");
}

TEST(StoreMessages, SetsValueIsTheRest) {
  const Value body = body_of(SetRequest{odd_key, {}});
  const auto decoded = decode_set(body);
  ASSERT_TRUE(decoded);
  EXPECT_EQ(decoded->key, odd_key);
  EXPECT_TRUE(decoded->value.empty());
  for (std::size_t length = 0; length < body.size(); ++length) {
    EXPECT_FALSE(decode_set(Bytes(body).first(length))) << length;
  }
  survive_noise(body, decode_set);
}

TEST(StoreMessages, GetBytes) {
  const Value body = body_of(GetRequest{"k1", 0x01020304});
  EXPECT_EQ(to_hex(body), "02006b3104030201");
  const auto decoded = decode_get(body);
  ASSERT_TRUE(decoded);
  EXPECT_EQ(decoded->key, "k1");
  EXPECT_EQ(decoded->wait_ms, 0x01020304U);
  expect_exact(body, decode_get);
  expect_exact(body_of(GetRequest{"", 0}), decode_get);
  survive_noise(body, decode_get);
}

TEST(StoreMessages, AddBytes) {
  const Value body = body_of(AddRequest{"k1", -2});
  EXPECT_EQ(to_hex(body), "02006b31feffffffffffffff");
  for (const std::int64_t delta : {std::numeric_limits<std::int64_t>::min(), std::int64_t{0},
                                   std::numeric_limits<std::int64_t>::max()}) {
    const Value coded = body_of(AddRequest{odd_key, delta});
    const auto decoded = decode_add(coded);
    ASSERT_TRUE(decoded);
    EXPECT_EQ(decoded->key, odd_key);
    EXPECT_EQ(decoded->delta, delta);
  }
  expect_exact(body, decode_add);
  survive_noise(body, decode_add);
}

TEST(StoreMessages, RemoveBytes) {
  const Value body = body_of(RemoveRequest{"k1"});
  EXPECT_EQ(to_hex(body), "02006b31");
  const auto decoded = decode_remove(body);
  ASSERT_TRUE(decoded);
  EXPECT_EQ(decoded->key, "k1");
  expect_exact(body, decode_remove);
  survive_noise(body, decode_remove);
}

TEST(StoreMessages, AppendIsASetBody) {
  const Value body = body_of(AppendRequest{"k1", as_bytes("value")});
  EXPECT_EQ(to_hex(body), "02006b3176616c7565");
  EXPECT_EQ(decode_append(body)->key, "k1");
  EXPECT_EQ(as_text(decode_append(body)->value), "value");
  survive_noise(body, decode_append);
}

TEST(StoreMessages, CompareSetTellsAbsentFromEmpty) {
  const Value body = body_of(CompareSetRequest{"k1", as_bytes("old"), as_bytes("new")});
  EXPECT_EQ(to_hex(body),
            "02006b31"
            "01"
            "030000006f6c64"
            "6e6577");
  const auto decoded = decode_compare_set(body);
  ASSERT_TRUE(decoded);
  EXPECT_EQ(decoded->key, "k1");
  EXPECT_EQ(as_text(*decoded->expected), "old");
  EXPECT_EQ(as_text(decoded->desired), "new");
  EXPECT_TRUE(decode_compare_set(body_of(CompareSetRequest{"k", Bytes{}, {}}))->expected);
  EXPECT_FALSE(decode_compare_set(body_of(CompareSetRequest{"k", std::nullopt, {}}))->expected);
  EXPECT_FALSE(decode_compare_set(from_spaced_hex("0100 6b 00 01000000 76")))
      << "absent, and a value";
  survive_noise(body, decode_compare_set);
}

TEST(StoreMessages, CompareSetAnswerBytes) {
  const Value body = body_of(CompareSetAnswer{true, as_bytes("old")});
  EXPECT_EQ(to_hex(body),
            "0101"
            "6f6c64");
  const auto decoded = decode_compare_set_answer(body);
  ASSERT_TRUE(decoded);
  EXPECT_TRUE(decoded->swapped);
  EXPECT_EQ(as_text(*decoded->before), "old");
  EXPECT_TRUE(decode_compare_set_answer(body_of(CompareSetAnswer{false, Bytes{}}))->before);
  EXPECT_FALSE(decode_compare_set_answer(body_of(CompareSetAnswer{}))->before);
  EXPECT_FALSE(decode_compare_set_answer(from_spaced_hex("00 00 76"))) << "absent, and a value";
  EXPECT_FALSE(decode_compare_set_answer(from_spaced_hex("01")));
  survive_noise(body, decode_compare_set_answer);
}

TEST(StoreMessages, AKeyOverTheLimitDecodesSoThatTheServerCanNameIt) {
  const std::string key(5000, 'k');
  const Value body = body_of(GetRequest{key, 1});
  const auto decoded = decode_get(body);
  ASSERT_TRUE(decoded);
  EXPECT_EQ(decoded->key, key);
}

}  // namespace
}  // namespace muster::wire
