#include "wire/many_messages.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

#include "base/limits.hpp"
#include "wire/exact_message.hpp"

namespace muster::wire {
namespace {

using testing::ElementsAre;

TEST(ManyMessages, WaitBytes) {
  const Value body = body_of(WaitRequest{0x01020304, {"k1", "k"}});
  EXPECT_EQ(to_hex(body), "040302010200000002006b3101006b");
  const auto decoded = decode_wait(body);
  ASSERT_TRUE(decoded);
  EXPECT_EQ(decoded->wait_ms, 0x01020304U);
  EXPECT_THAT(decoded->keys, ElementsAre("k1", "k"));
  expect_exact(body, decode_wait);
  expect_exact(body_of(WaitRequest{}), decode_wait);
  survive_noise(body, decode_wait);
}

TEST(ManyMessages, MultiGetBytes) {
  const Value body = body_of(MultiGetRequest{{"k1", ""}});
  EXPECT_EQ(to_hex(body), "0200000002006b310000");
  EXPECT_THAT(decode_multi_get(body)->keys, ElementsAre("k1", ""));
  expect_exact(body, decode_multi_get);
  survive_noise(body, decode_multi_get);
}

TEST(ManyMessages, MultiGetAnswerTellsAbsentFromEmpty) {
  const Value body = body_of(MultiGetAnswer{{as_bytes("v"), std::nullopt, Bytes{}}});
  EXPECT_EQ(to_hex(body),
            "03000000010100000076"
            "0000000000"
            "0100000000");
  const auto decoded = decode_multi_get_answer(body);
  ASSERT_TRUE(decoded);
  ASSERT_EQ(decoded->values.size(), 3U);
  EXPECT_EQ(as_text(*decoded->values[0]), "v");
  EXPECT_FALSE(decoded->values[1]);
  EXPECT_TRUE(decoded->values[2] && decoded->values[2]->empty());
  expect_exact(body, decode_multi_get_answer);
  survive_noise(body, decode_multi_get_answer);
  EXPECT_FALSE(decode_multi_get_answer(from_spaced_hex("01000000 00 01000000 76")))
      << "absent, with a value";
}

TEST(ManyMessages, MultiSetBytes) {
  const Value body = body_of(MultiSetRequest{{{"k1", as_bytes("v")}, {"k", {}}}});
  EXPECT_EQ(to_hex(body),
            "02000000"
            "02006b310100000076"
            "01006b00000000");
  const auto decoded = decode_multi_set(body);
  ASSERT_TRUE(decoded);
  ASSERT_EQ(decoded->entries.size(), 2U);
  EXPECT_EQ(decoded->entries[0].key, "k1");
  EXPECT_EQ(as_text(decoded->entries[0].value), "v");
  EXPECT_TRUE(decoded->entries[1].value.empty());
  expect_exact(body, decode_multi_set);
  survive_noise(body, decode_multi_set);
}

TEST(ManyMessages, TooManyKeysAreRefused) {
  const std::string key = "k";
  MultiGetRequest request{std::vector<std::string_view>(limits::keys_a_request_max, key)};
  EXPECT_TRUE(decode_multi_get(body_of(request)));
  EXPECT_TRUE(decode_wait(body_of(WaitRequest{1, request.keys})));
  request.keys.emplace_back(key);
  EXPECT_FALSE(decode_multi_get(body_of(request)));
  EXPECT_FALSE(decode_wait(body_of(WaitRequest{1, request.keys})));
  MultiSetRequest entries{std::vector<MultiSetRequest::Entry>(limits::keys_a_request_max + 1)};
  EXPECT_FALSE(decode_multi_set(body_of(entries)));
  entries.entries.pop_back();
  EXPECT_TRUE(decode_multi_set(body_of(entries)));
}

TEST(ManyMessages, AClaimedCountAllocatesNothing) {
  EXPECT_FALSE(decode_multi_get(from_spaced_hex("ffffffff")));
  EXPECT_FALSE(decode_multi_set(from_spaced_hex("00040000 0100")));
}

}  // namespace
}  // namespace muster::wire
