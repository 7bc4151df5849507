#include "wire/v0_body.hpp"

#include <gtest/gtest.h>
#include <string>

#include "base/limits.hpp"
#include "wire/exact_message.hpp"

namespace muster::wire::v0 {
namespace {

Value packed(const Body& body) {
  Value out;
  pack(body, out);
  EXPECT_EQ(out.size(), packed_bytes(body));
  return out;
}

TEST(V0Body, LiesAsTheReferenceWritesIt) {
  const Value set = packed({-1, Operation::set, {"alpha"}, {as_bytes("hello")}});
  EXPECT_EQ(set, from_spaced_hex("3c00000000000000 ffffffffffffffff 0000 0100000000000000"
                                 "0500000000000000 616c706861 0100000000000000"
                                 "0500000000000000 68656c6c6f"));
  const auto body = unpack(set);
  ASSERT_TRUE(body);
  EXPECT_EQ(body->user_word, -1);
  EXPECT_EQ(body->operation, Operation::set);
  EXPECT_EQ(body->keys, std::vector<std::string_view>{"alpha"});
  ASSERT_EQ(body->values.size(), 1U);
  EXPECT_EQ(as_text(body->values[0]), "hello");
}

TEST(V0Body, TheHeadOfAnAnswerIsWhatStandsBeforeItsValue) {
  Value head;
  pack_value_head(Operation::get, 5, head);
  const Value whole = packed({-1, Operation::get, {}, {as_bytes("hello")}});
  EXPECT_EQ(to_hex(head), to_hex(Bytes(whole).first(whole.size() - 5)));
}

TEST(V0Body, NoShorterPieceIsOne) {
  const Value whole = packed({300, Operation::compare_set, {"k"}, {as_bytes("a"), as_bytes("")}});
  for (std::size_t length = 0; length < whole.size(); ++length) {
    const Value piece(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length));
    EXPECT_FALSE(unpack(piece)) << length;
  }
}

TEST(V0Body, BytesBehindItAreIgnoredButItsSizeMustBeItsOwn) {
  Value body = packed({0, Operation::get, {"k"}, {}});
  body.push_back(std::byte{7});
  EXPECT_TRUE(unpack(body));
  body[0] = static_cast<std::byte>(body.size());  // the size, with the byte too many in it
  EXPECT_FALSE(unpack(body));
  body[0] = static_cast<std::byte>(body.size() - 2);
  EXPECT_FALSE(unpack(body));
}

TEST(V0Body, LimitsHoldAndOnePastThemDoesNot) {
  const std::string key(limits::v0_key_bytes_max + 1, 'k');
  EXPECT_TRUE(unpack(packed({0, Operation::get, {std::string_view(key).substr(1)}, {}})));
  EXPECT_FALSE(unpack(packed({0, Operation::get, {key}, {}})));
  EXPECT_TRUE(unpack(packed({0, Operation::get, {""}, {}}))) << "the store refuses it by name";

  const std::vector<std::string_view> keys(limits::v0_items_max, "k");
  const std::vector<Bytes> values(limits::v0_items_max, as_bytes("v"));
  EXPECT_TRUE(unpack(packed({0, Operation::get, keys, values})));
  auto more_keys = keys;
  more_keys.emplace_back("k");
  EXPECT_FALSE(unpack(packed({0, Operation::get, more_keys, {}})));
  auto more_values = values;
  more_values.push_back({});
  EXPECT_FALSE(unpack(packed({0, Operation::get, {}, more_values})));
}

TEST(V0Body, LengthsThatLieAreRefused) {
  const Value good = packed({-1, Operation::set, {"k"}, {as_bytes("v")}});
  for (const std::size_t at : {18U, 26U, 35U, 43U}) {  // counts and lengths
    for (const std::size_t byte : {0U, 3U, 7U}) {
      Value lying = good;
      lying[at + byte] = std::byte{0xFF};
      EXPECT_FALSE(unpack(lying)) << at << "+" << byte;
    }
  }
}

TEST(V0Body, SurvivesNoise) {
  const Value body =
      packed({-1, Operation::compare_set, {"key"}, {as_bytes("one"), as_bytes("two")}});
  survive_noise(body, [](Bytes noise) { return unpack(noise).has_value(); });
}

}  // namespace
}  // namespace muster::wire::v0
