#include "server/core/placing.hpp"

#include <gtest/gtest.h>
#include <map>

namespace muster::server {
namespace {

wire::ClientHello from(std::string host) {
  return {.role = wire::Role::assigned, .host = std::move(host)};
}

TEST(Placing, GoesByHostThenByArrival) {
  Placing placing;
  placing.add(1, from("b"), {});
  placing.add(2, from("a"), {});
  placing.add(3, from("b"), {});
  placing.add(4, from("a"), {});
  std::map<LinkId, std::uint32_t> given;
  for (const auto& each : placing.place({0, 2, 3, 7})) {
    ASSERT_EQ(each.hello.ranks.size(), 1U);
    given[each.link] = each.hello.ranks[0].first;
    EXPECT_EQ(each.hello.role, wire::Role::rank);
  }
  EXPECT_EQ(given, (std::map<LinkId, std::uint32_t>{{2, 0}, {4, 2}, {1, 3}, {3, 7}}));
  EXPECT_EQ(placing.count(), 0U);
}

TEST(Placing, ForgetsWhoHasGone) {
  Placing placing;
  placing.add(1, from("a"), {});
  placing.add(2, from("b"), {});
  EXPECT_EQ(placing.drop(1)->hello.host, "a");
  EXPECT_FALSE(placing.drop(1));
  EXPECT_EQ(placing.count(), 1U);
  EXPECT_EQ(placing.dismiss().front().link, 2U);
  EXPECT_EQ(placing.count(), 0U);
}

}  // namespace
}  // namespace muster::server
