#include "server/core/roster.hpp"

#include <gtest/gtest.h>

#include "base/limits.hpp"

namespace muster::server {
namespace {

const TimePoint now = TimePoint{} + std::chrono::hours{1};

wire::ClientHello hello(std::string host, std::uint32_t pid) {
  return {.pid = pid, .host = std::move(host)};
}

Roster of_four() {
  Roster roster;
  roster.set_size(4, now);
  roster.join({0, 2}, 7, hello("a", 11), now);
  roster.join({1}, 8, hello("b", 12), now);
  return roster;
}

TEST(Roster, SaysWhoIsThere) {
  Roster roster;
  EXPECT_EQ(roster.presence(), "no rank has joined");
  roster.set_size(2, now);
  EXPECT_EQ(roster.presence(), "0 of 2 ranks have joined, ranks 0-1 are absent");
  roster.join({0}, 7, hello("a", 11), now);
  EXPECT_EQ(roster.presence(), "1 of 2 ranks have joined, rank 1 is absent");
  roster.join({1}, 8, hello("b", 12), now);
  EXPECT_EQ(roster.presence(), "2 of 2 ranks have joined");
}

TEST(Roster, NamesRanksOfOneLinkTogether) {
  const Roster roster = of_four();
  EXPECT_EQ(roster.text({1}), "rank 1 (host b, pid 12)");
  EXPECT_EQ(roster.text({0, 2}), "ranks 0, 2 (host a, pid 11)");
  EXPECT_EQ(roster.name(3).text(), "rank 3");
}

TEST(Roster, CountsStates) {
  Roster roster = of_four();
  EXPECT_EQ(roster.count(State::joined), 3U);
  EXPECT_EQ(roster.all(State::absent), Ranks{3});
  roster.set_state({0, 2}, State::left, now);
  EXPECT_EQ(roster.count(State::joined), 1U);
  EXPECT_EQ(roster.first(State::left), 0U);
  EXPECT_FALSE(roster.first(State::failed));
}

TEST(Roster, RemembersTheFirstCasualtyOnly) {
  Roster roster = of_four();
  roster.set_state({1}, State::left, now);
  EXPECT_FALSE(roster.first_casualty());
  roster.set_state({2}, State::failed, now);
  roster.set_state({0}, State::lost, now);
  EXPECT_EQ(roster.first_casualty(), 2U);
}

TEST(Roster, CallsEachOpenLinkOnce) {
  Roster roster = of_four();
  std::vector<LinkId> links;
  roster.each_link(State::joined, [&](LinkId link) { links.push_back(link); });
  EXPECT_EQ(links, (std::vector<LinkId>{7, 8}));
  roster.unlink({0, 2});
  links.clear();
  roster.each_link(State::joined, [&](LinkId link) { links.push_back(link); });
  EXPECT_EQ(links, (std::vector<LinkId>{8}));
}

TEST(Roster, AHostNameIsMadePrintable) {
  Roster roster;
  roster.set_size(1, now);
  roster.join({0}, 7, hello("a\x1b[2J", 11), now);
  EXPECT_EQ(roster.name(0).host, "a?[2J");
}

TEST(Roster, ListsNoMoreNamesThanTheLimit) {
  Roster roster;
  roster.set_size(limits::named_ranks_max + 1, now);
  EXPECT_EQ(roster.names(roster.all(State::absent)).size(), limits::named_ranks_max);
}

TEST(Roster, RangesExpandInOrder) {
  const std::vector<wire::RankRange> ranges{{5, 2}, {0, 1}};
  EXPECT_EQ(expand(ranges), (Ranks{0, 5, 6}));
}

}  // namespace
}  // namespace muster::server
