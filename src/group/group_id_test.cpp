#include "group/group_id.hpp"

#include <gtest/gtest.h>
#include <set>
#include <vector>

namespace muster {
namespace {

using Ranks = std::vector<std::uint32_t>;

TEST(GroupId, IsWhatTheFormatSays) {
  // SHA-256 of "muster group v1" 00, 0000000000000000 00000000 0000000000000000 00000002
  // 00000000 00000002, its first 8 bytes.
  EXPECT_EQ(group_id(0, 0, Ranks{0, 2}, 0), 0x6f8aceaf1d24c397U);
}

TEST(GroupId, DiffersWithAllThatItIsMadeOf) {
  std::set<std::uint64_t> ids;
  ids.insert(group_id(0, 0, Ranks{0, 2}, 0));
  ids.insert(group_id(1, 0, Ranks{0, 2}, 0));
  ids.insert(group_id(0, 1, Ranks{0, 2}, 0));
  ids.insert(group_id(0, 0, Ranks{2, 0}, 0));
  ids.insert(group_id(0, 0, Ranks{0}, 0));
  ids.insert(group_id(0, 0, Ranks{0, 2}, 1));
  EXPECT_EQ(ids.size(), 6U);
  EXPECT_FALSE(ids.contains(0));
}

}  // namespace
}  // namespace muster
