#include "wire/notices.hpp"

#include <gtest/gtest.h>
#include <string>

#include "wire/cursor.hpp"
#include "wire/exact_message.hpp"

namespace muster::wire {
namespace {

Failure sample() {
  return {Code::rank_lost, "gone", "look", {{3, "n7", 4711, "reset"}, {no_rank, "", 0, ""}}, 70};
}

TEST(Notices, FailureBytes) {
  EXPECT_EQ(body_of(sample()), from_spaced_hex("0d00 46000000 0400 676f6e65 0400 6c6f6f6b 0200"
                                               "03000000 0200 6e37 67120000 0500 7265736574"
                                               "ffffffff 0000 00000000 0000"));
}

TEST(Notices, FailureComesBack) {
  const Value body = body_of(sample());
  EXPECT_EQ(decode_failure(body), sample());
  expect_exact(body, decode_failure);
  survive_noise(body, decode_failure);
  const Failure bare{Code::timeout, "", "", {}, -1};
  EXPECT_EQ(decode_failure(body_of(bare)), bare);
}

TEST(Notices, FailureOfNoCodeIsRefused) {
  Value body = body_of(sample());
  body[0] = std::byte{0};
  EXPECT_FALSE(decode_failure(body));
  body[1] = std::byte{0x80};
  EXPECT_FALSE(decode_failure(body));
  body[1] = std::byte{0x01};
  EXPECT_TRUE(decode_failure(body)) << "a code of a later release is passed on";
}

TEST(Notices, TextsFromAPeerAreMadePrintable) {
  Value body;
  Writer writer(body);
  writer.u16(static_cast<std::uint16_t>(Code::refused));
  writer.i32(1);
  writer.text("red \x1b[31m\nnext\xff");
  writer.text("\a");
  writer.u16(1);
  writer.u32(0);
  writer.text("ho\rst");
  writer.u32(1);
  writer.text(std::string("de\0tail", 7));
  const auto failure = decode_failure(body);
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->reason, "red ?[31m next?");
  EXPECT_EQ(failure->advice, "?");
  EXPECT_EQ(failure->who[0].host, "ho?st");
  EXPECT_EQ(failure->who[0].detail, "de?tail");
}

TEST(Notices, TextsAreCutAtTheirLimit) {
  Failure failure{Code::limit, std::string(4096, 'r'), "", {{0, std::string(255, 'h'), 1, ""}}, 1};
  EXPECT_EQ(decode_failure(body_of(failure)), failure);
  failure.reason += 'r';
  failure.who[0].host += 'h';
  const auto cut = decode_failure(body_of(failure));
  ASSERT_TRUE(cut);
  EXPECT_EQ(cut->reason, std::string(4093, 'r') + "...");
  EXPECT_EQ(cut->who[0].host, std::string(252, 'h') + "...");
}

TEST(Notices, AtMost1024NamesTravel) {
  Failure failure{Code::rank_missing, "", "", {}, 1};
  for (std::uint32_t rank = 0; rank < 1025; ++rank) failure.who.push_back({rank, "", 0, ""});
  const auto decoded = decode_failure(body_of(failure));
  ASSERT_TRUE(decoded);
  EXPECT_EQ(decoded->who.size(), 1024U);

  Value body;
  Writer writer(body);
  writer.u16(static_cast<std::uint16_t>(Code::rank_missing));
  writer.i32(1);
  writer.text("");
  writer.text("");
  writer.u16(1025);
  body.resize(body.size() + std::size_t{1025} * 12);
  EXPECT_FALSE(decode_failure(body));
}

TEST(Notices, FailureAsError) {
  const Error error = to_error(sample(), Phase::muster);
  EXPECT_EQ(error.code, Code::rank_lost);
  EXPECT_EQ(error.phase, Phase::muster);
  EXPECT_EQ(error.what, "gone");
  EXPECT_EQ(error.advice, "look");
  EXPECT_EQ(error.ranks, sample().who);
  EXPECT_EQ(error.exit_code, 70);
}

TEST(Notices, FailRequest) {
  const Value body = body_of(FailRequest{3, "disk"});
  EXPECT_EQ(body, from_spaced_hex("03000000 0400 6469736b"));
  const auto decoded = decode_fail(body);
  ASSERT_TRUE(decoded);
  EXPECT_EQ(decoded->exit_code, 3);
  EXPECT_EQ(decoded->reason, "disk");
  expect_exact(body, decode_fail);
  survive_noise(body, decode_fail);
}

TEST(Notices, LeaveRequest) {
  const Value body = body_of(LeaveRequest{1500, true});
  EXPECT_EQ(body, from_spaced_hex("dc050000 01"));
  const auto decoded = decode_leave(body);
  ASSERT_TRUE(decoded);
  EXPECT_EQ(decoded->wait_ms, 1500U);
  EXPECT_TRUE(decoded->now);
  expect_exact(body, decode_leave);
  survive_noise(body, decode_leave);
  EXPECT_FALSE(decode_leave(from_spaced_hex("dc050000 02")));
}

}  // namespace
}  // namespace muster::wire
