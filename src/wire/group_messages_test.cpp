#include "wire/group_messages.hpp"

#include <gtest/gtest.h>

#include "base/limits.hpp"
#include "wire/cursor.hpp"
#include "wire/exact_message.hpp"

namespace muster::wire {
namespace {

TEST(GroupMessages, OpenGroup) {
  const OpenGroup open{0x1122334455667788, {5, 0, 2}};
  const Value body = body_of(open);
  EXPECT_EQ(body, from_spaced_hex("8877665544332211 03000000 05000000 00000000 02000000"));
  const auto decoded = decode_open_group(body);
  ASSERT_TRUE(decoded);
  EXPECT_EQ(decoded->group, open.group);
  EXPECT_EQ(decoded->members, open.members) << "in the order given";
  expect_exact(body, decode_open_group);
  survive_noise(body, decode_open_group);
  EXPECT_FALSE(decode_open_group(body_of(OpenGroup{1, {}}))) << "of nobody";
}

TEST(GroupMessages, CloseGroup) {
  const Value body = body_of(CloseGroup{1, {2, 7}});
  EXPECT_EQ(body, from_spaced_hex("0100000000000000 02000000 02000000 07000000"));
  const auto decoded = decode_close_group(body);
  ASSERT_TRUE(decoded);
  EXPECT_EQ(decoded->group, 1U);
  EXPECT_EQ(decoded->ranks, (std::vector<std::uint32_t>{2, 7}));
  expect_exact(body, decode_close_group);
  survive_noise(body, decode_close_group);
  EXPECT_FALSE(decode_close_group(body_of(CloseGroup{1, {}})));
  EXPECT_FALSE(decode_close_group(body_of(CloseGroup{1, {7, 2}}))) << "descending";
  EXPECT_FALSE(decode_close_group(body_of(CloseGroup{1, {7, 7}}))) << "twice the same";
}

TEST(GroupMessages, AGroupHasAMemberForEachRankAtMost) {
  const auto of = [](std::uint32_t count) {
    Value body;
    Writer(body).u64(1);
    Writer(body).u32(count);
    body.resize(12 + std::size_t{4} * count);
    return body;
  };
  EXPECT_TRUE(decode_open_group(of(limits::ranks_max)));
  EXPECT_FALSE(decode_open_group(of(limits::ranks_max + 1)));
}

}  // namespace
}  // namespace muster::wire
