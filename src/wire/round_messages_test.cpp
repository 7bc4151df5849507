#include "wire/round_messages.hpp"

#include <gtest/gtest.h>
#include <string>

#include "base/limits.hpp"
#include "wire/cursor.hpp"
#include "wire/exact_message.hpp"

namespace muster::wire {
namespace {

Arrive sample() {
  Arrive arrive;
  arrive.sequence = 7;
  arrive.kind = Kind::gather;
  arrive.root = 1;
  arrive.left_ms = 1000;
  arrive.label = "save";
  arrive.parts = {{2, as_bytes("abc")}};
  return arrive;
}

TEST(RoundMessages, ArriveBytes) {
  EXPECT_EQ(body_of(sample()), from_spaced_hex("0000000000000000 0700000000000000 03 00 0000"
                                               "01000000 e8030000 0400 73617665"
                                               "01000000 02000000 03000000 616263"));
  Arrive bound = sample();
  bound.token.fill(std::byte{0xAA});
  EXPECT_EQ(body_of(bound),
            from_spaced_hex("0000000000000000 0700000000000000 03 01 0000"
                            "01000000 e8030000 0400 73617665"
                            "aaaaaaaaaaaaaaaa aaaaaaaaaaaaaaaa aaaaaaaaaaaaaaaa aaaaaaaaaaaaaaaa"
                            "01000000 02000000 03000000 616263"));
}

TEST(RoundMessages, ArriveComesBack) {
  Arrive arrive = sample();
  arrive.group = 0x1122334455667788;
  arrive.kind = Kind::exchange;
  arrive.token[31] = std::byte{1};
  arrive.parts = {{0, {}}, {5, as_bytes("five")}, {limits::ranks_max, as_bytes("last")}};
  const Value body = body_of(arrive);
  const auto decoded = decode_arrive(body);
  ASSERT_TRUE(decoded);
  EXPECT_EQ(decoded->group, arrive.group);
  EXPECT_EQ(decoded->sequence, arrive.sequence);
  EXPECT_EQ(decoded->kind, arrive.kind);
  EXPECT_EQ(decoded->root, arrive.root);
  EXPECT_EQ(decoded->left_ms, arrive.left_ms);
  EXPECT_EQ(decoded->label, arrive.label);
  EXPECT_EQ(decoded->token, arrive.token);
  ASSERT_EQ(decoded->parts.size(), 3U);
  EXPECT_TRUE(decoded->parts[0].payload.empty());
  EXPECT_EQ(decoded->parts[1].rank, 5U);
  EXPECT_EQ(as_text(decoded->parts[1].payload), "five");
  EXPECT_EQ(decoded->parts[2].rank, limits::ranks_max);
  expect_exact(body, decode_arrive);
  expect_exact(body_of(sample()), decode_arrive);
  survive_noise(body, decode_arrive);
}

TEST(RoundMessages, ArriveRefusesWhatNoEncoderWrites) {
  const auto refuses = [](std::size_t offset, int byte) {
    Arrive bound = sample();
    bound.token[0] = std::byte{1};
    bound.parts = {{2, {}}, {3, {}}};
    Value body = body_of(bound);
    body[offset] = static_cast<std::byte>(byte);
    return !decode_arrive(body);
  };
  EXPECT_FALSE(refuses(0, 9)) << "a good one, in another group";
  EXPECT_TRUE(refuses(16, 0)) << "no such kind";
  EXPECT_FALSE(refuses(16, 8)) << "the last kind";
  EXPECT_TRUE(refuses(16, 9)) << "no such kind";
  EXPECT_TRUE(refuses(17, 2)) << "a flag of 2";
  EXPECT_TRUE(refuses(18, 1)) << "a reserved byte";
  EXPECT_TRUE(refuses(34, 0)) << "a token of zeros";
  EXPECT_TRUE(refuses(70, 3)) << "two parts of one rank";
  EXPECT_TRUE(refuses(70, 4)) << "parts that descend";
  EXPECT_FALSE(refuses(70, 0));

  Arrive nobody = sample();
  nobody.parts.clear();
  EXPECT_FALSE(decode_arrive(body_of(nobody)));
}

TEST(RoundMessages, VerdictBytes) {
  Value out;
  encode_verdict(std::vector<Bytes>{as_bytes("ab"), {}, as_bytes("c")}, out);
  EXPECT_EQ(out, from_spaced_hex("03000000 02000000 00000000 01000000 616263"));
  const auto parts = decode_verdict(out);
  ASSERT_TRUE(parts);
  ASSERT_EQ(parts->size(), 3U);
  EXPECT_EQ(as_text((*parts)[0]), "ab");
  EXPECT_EQ((*parts)[1].data(), (*parts)[0].data() + 2) << "views into one buffer";
  EXPECT_TRUE((*parts)[1].empty());
  EXPECT_EQ(as_text((*parts)[2]), "c");
  expect_exact(out, decode_verdict);
  survive_noise(out, decode_verdict);
}

TEST(RoundMessages, AVerdictWithoutParts) {
  Value out;
  encode_verdict({}, out);
  EXPECT_EQ(to_hex(out), "00000000");
  expect_exact(out, decode_verdict);
  EXPECT_TRUE(decode_verdict(out)->empty());
}

TEST(RoundMessages, AVerdictHasAPartForEachRankAtMost) {
  const auto of_empty_parts = [](std::uint32_t count) {
    Value body;
    Writer(body).u32(count);
    body.resize(4 + std::size_t{4} * count);
    return body;
  };
  EXPECT_TRUE(decode_verdict(of_empty_parts(limits::ranks_max)));
  EXPECT_FALSE(decode_verdict(of_empty_parts(limits::ranks_max + 1)));
}

}  // namespace
}  // namespace muster::wire
