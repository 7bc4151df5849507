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

TEST(StoreMessages, AKeyOverTheLimitDecodesSoThatTheServerCanNameIt) {
  const std::string key(5000, 'k');
  const Value body = body_of(GetRequest{key, 1});
  const auto decoded = decode_get(body);
  ASSERT_TRUE(decoded);
  EXPECT_EQ(decoded->key, key);
}

}  // namespace
}  // namespace muster::wire
