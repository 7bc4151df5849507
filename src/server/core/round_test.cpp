#include "server/core/round.hpp"

#include <gtest/gtest.h>

#include "server/core/core_fixture.hpp"

namespace muster::server {
namespace {

const TimePoint now = TimePoint{} + std::chrono::hours{1};

wire::Arrive call(Kind kind, std::vector<wire::Part> parts) {
  return {.sequence = 3, .kind = kind, .label = "x", .parts = std::move(parts)};
}

std::optional<Difference> between(const wire::Arrive& first, const wire::Arrive& second) {
  Round round;
  round.open(first, 4, now);
  round.add(first, {});
  return round.difference(second);
}

TEST(Round, TellsCallsApart) {
  const wire::Arrive base = call(Kind::exchange, {{0, {}}});
  wire::Arrive other = call(Kind::exchange, {{1, as_bytes("another size is no difference")}});
  EXPECT_FALSE(between(base, other));
  other.root = 1;
  EXPECT_EQ(between(base, other)->there, "exchange 'x' #3 with root 1");
  other.root = 0;
  other.token[0] = std::byte{0xab};
  EXPECT_EQ(between(base, other)->here, "exchange 'x' #3 with token none");
  EXPECT_EQ(between(base, other)->there, "exchange 'x' #3 with token ab0000000000");
  other.label = "y";
  EXPECT_EQ(between(base, other)->there, "exchange 'y' #3");
  other = call(Kind::barrier, {{1, {}}});
  EXPECT_EQ(between(base, other)->there, "barrier 'x' #3");
  EXPECT_EQ(between(base, other)->ranks, Ranks{1});
}

TEST(Round, AnAllgatherIsOfOneSize) {
  const wire::Arrive base = call(Kind::allgather, {{0, as_bytes("ab")}});
  const wire::Arrive other =
      call(Kind::allgather, {{1, as_bytes("cd")}, {2, as_bytes("e")}, {3, {}}});
  const auto difference = between(base, other);
  ASSERT_TRUE(difference);
  EXPECT_EQ(difference->here, "allgather 'x' #3 of 2 bytes a rank");
  EXPECT_EQ(difference->there, "allgather 'x' #3 of 1 bytes a rank");
  EXPECT_EQ(difference->ranks, (Ranks{2, 3}));
  EXPECT_TRUE(between(base, base) == std::nullopt);
}

TEST(Round, IsUsedAgainWithoutARestOfTheLastOne) {
  Round round;
  Actions actions;
  Outbox out(actions);
  const wire::Arrive first = call(Kind::allgatherv, {{0, as_bytes("long")}, {1, as_bytes("x")}});
  round.open(first, 2, now);
  round.add(first, {1, wire::Type::arrive, 1});
  round.finish(out);
  EXPECT_FALSE(round.is_open());

  const wire::Arrive second = call(Kind::allgatherv, {{0, {}}, {1, as_bytes("y")}});
  round.open(second, 2, now);
  EXPECT_EQ(round.arrived(), 0U);
  EXPECT_EQ(round.payload_bytes(), 0U);
  round.add(second, {1, wire::Type::arrive, 2});
  actions.clear();
  round.finish(out);
  const auto frames = frames_of(actions);
  const auto parts = wire::decode_verdict(frames.at(0).body).value();
  ASSERT_EQ(parts.size(), 2U);
  EXPECT_TRUE(parts[0].empty());
  EXPECT_EQ(as_text(parts[1]), "y");
}

/// What the links of a scatter by rank 1 get: link 1 speaks for ranks 0 and 2, link 2 for rank 1.
std::vector<Parts> dealt(const std::vector<Bytes>& parts) {
  Value all;
  wire::encode_verdict(parts, all);
  Round round;
  Actions actions;
  Outbox out(actions);
  wire::Arrive arrive = call(Kind::scatter, {{0, {}}, {2, {}}});
  arrive.root = 1;
  round.open(arrive, 3, now);
  round.add(arrive, {1, wire::Type::arrive, 1});
  arrive.parts = {{1, all}};
  round.add(arrive, {2, wire::Type::arrive, 1});
  round.finish(out);
  std::vector<Parts> given;
  for (const Seen& seen : frames_of(actions)) {
    given.push_back(wire::decode_verdict(seen.body).value());
  }
  return given;
}

TEST(Round, AScatterGivesEachLinkItsOwnRanksParts) {
  const auto given = dealt({as_bytes("a"), as_bytes("bb"), {}});
  ASSERT_EQ(given.size(), 2U);
  EXPECT_EQ(given[0], (Parts{as_bytes("a"), {}}));
  EXPECT_EQ(given[1], (Parts{as_bytes("bb")}));

  const Value large(100'000, std::byte{'L'});
  const auto heavy = dealt({as_bytes("a"), large, large});
  ASSERT_EQ(heavy.size(), 2U);
  EXPECT_EQ(heavy[0], (Parts{as_bytes("a"), large}));
  EXPECT_EQ(heavy[1], (Parts{large}));
}

TEST(Round, AnAlltoallGivesEachLinkWhatAllHaveForItsRanks) {
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{2}, std::size_t{5000}}) {
    const auto letter = [&](unsigned from, unsigned to) {
      return Value(bytes, static_cast<std::byte>(10 * from + to));
    };
    std::vector<Value> brought(3);
    for (unsigned from = 0; from < 3; ++from) {
      const std::vector<Value> all{letter(from, 0), letter(from, 1), letter(from, 2)};
      wire::encode_verdict(std::vector<Bytes>(all.begin(), all.end()), brought[from]);
    }
    Round round;
    Actions actions;
    Outbox out(actions);
    wire::Arrive arrive = call(Kind::alltoall, {{0, brought[0]}, {2, brought[2]}});
    round.open(arrive, 3, now);
    round.add(arrive, {1, wire::Type::arrive, 1});
    arrive.parts = {{1, brought[1]}};
    round.add(arrive, {2, wire::Type::arrive, 1});
    round.finish(out);
    const auto frames = frames_of(actions);
    ASSERT_EQ(frames.size(), 2U);
    EXPECT_EQ(wire::decode_verdict(frames[0].body).value(),
              (Parts{letter(0, 0), letter(1, 0), letter(2, 0),  //
                     letter(0, 2), letter(1, 2), letter(2, 2)}));
    EXPECT_EQ(wire::decode_verdict(frames[1].body).value(),
              (Parts{letter(0, 1), letter(1, 1), letter(2, 1)}));
  }
}

TEST(Round, AnswersNoLinkThatIsGone) {
  Round round;
  Actions actions;
  Outbox out(actions);
  const wire::Arrive arrive = call(Kind::barrier, {{0, {}}});
  round.open(arrive, 3, now);
  round.add(arrive, {1, wire::Type::arrive, 1});
  round.add(arrive, {2, wire::Type::arrive, 1});
  round.drop_link(1);
  round.fail(share(Failure{.code = Code::rank_lost, .reason = "gone"}), out);
  const auto frames = frames_of(actions);
  ASSERT_EQ(frames.size(), 1U);
  EXPECT_EQ(frames[0].link, 2U);
}

}  // namespace
}  // namespace muster::server
