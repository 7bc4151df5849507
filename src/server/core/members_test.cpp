#include "server/core/members.hpp"

#include <gtest/gtest.h>

namespace muster::server {
namespace {

TEST(Members, OfTheWorldSitAtTheirRanks) {
  const Members world(3);
  EXPECT_TRUE(world.is_world());
  EXPECT_EQ(world.size(), 3U);
  EXPECT_EQ(world.rank(2), 2U);
  EXPECT_EQ(world.seat(2), 2U);
  EXPECT_FALSE(world.seat(3));
  EXPECT_EQ(world.ranks_of({0, 2}), (Ranks{0, 2}));
  EXPECT_EQ(world.seats_of({0, 2, 7}), (Ranks{0, 2}));
}

TEST(Members, OfASubsetSitInTheirOrder) {
  const Members subset(std::vector<std::uint32_t>{7, 0, 5});
  EXPECT_FALSE(subset.is_world());
  EXPECT_EQ(subset.size(), 3U);
  EXPECT_EQ(subset.rank(0), 7U);
  EXPECT_EQ(subset.seat(7), 0U);
  EXPECT_EQ(subset.seat(0), 1U);
  EXPECT_EQ(subset.seat(5), 2U);
  for (const std::uint32_t rank : {1U, 6U, 8U}) EXPECT_FALSE(subset.seat(rank)) << rank;
  EXPECT_EQ(subset.ranks_of({0, 1}), (Ranks{0, 7}));
  EXPECT_EQ(subset.seats_of({0, 1, 7}), (Ranks{0, 1}));
}

TEST(Members, AreNamedInShort) {
  EXPECT_EQ(Members(std::vector<std::uint32_t>{7, 0, 6, 5}).text(), "group of ranks 0, 5-7");
  EXPECT_EQ(Members(std::vector<std::uint32_t>{3}).text(), "group of rank 3");
  std::vector<std::uint32_t> many;
  for (std::uint32_t rank = 0; rank < 20'000; rank += 2) many.push_back(rank);
  EXPECT_LT(Members(many).text().size(), 100U);
}

}  // namespace
}  // namespace muster::server
