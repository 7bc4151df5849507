#include "client/core/pending.hpp"

#include <gtest/gtest.h>
#include <map>
#include <set>
#include <string>

#include "wire/notices.hpp"

namespace muster::client {
namespace {

using Taken = Pending::Taken;
using wire::Type;

Value body_of(const Failure& failure) {
  Value body;
  wire::encode(failure, body);
  return body;
}

const Failure gone{Code::rank_lost, "rank 1 is gone", "", {{1, "n7", 4711, ""}}, 1};

/// A Pending whose hello is entered already.
class PendingTest : public testing::Test {
 protected:
  PendingTest() { EXPECT_EQ(add(), muster_ticket); }

  Ticket add() { return pending_.add(); }

  Pending::Outcome take(Type type, std::uint32_t sequence, Bytes body = {},
                        std::int16_t result = 0) {
    return pending_.take({type, result, static_cast<std::uint32_t>(body.size()), sequence}, body);
  }

  Pending pending_{make_slot<Slot>};
};

TEST_F(PendingTest, AnswersInAnyOrder) {
  const Ticket first = add();
  const Ticket second = add();
  const auto late = take(Type::get, second, as_bytes("two"));
  EXPECT_EQ(late.taken, Taken::answered);
  EXPECT_EQ(late.slot, pending_.find(second));
  EXPECT_FALSE(pending_.find(first)->done);
  take(Type::set, first, as_bytes("one"));

  const auto reply = pending_.remove(first);
  ASSERT_TRUE(reply);
  EXPECT_FALSE(reply->failed);
  EXPECT_EQ(reply->type, Type::set);
  EXPECT_EQ(as_text(reply->body), "one");
  EXPECT_EQ(as_text(pending_.remove(second)->body), "two");
  EXPECT_EQ(pending_.size(), 1U);
}

TEST_F(PendingTest, ABadAnswerKeepsItsFailure) {
  const Ticket ticket = add();
  const Value body = body_of(gone);
  EXPECT_EQ(take(Type::get, ticket, body, static_cast<std::int16_t>(gone.code)).taken,
            Taken::answered);
  const auto reply = pending_.remove(ticket);
  ASSERT_TRUE(reply);
  EXPECT_TRUE(reply->failed);
  EXPECT_EQ(reply->code, Code::rank_lost);
  EXPECT_EQ(wire::decode_failure(reply->body), gone);
}

TEST_F(PendingTest, ABadAnswerThatIsNoFailureIsBroken) {
  EXPECT_EQ(take(Type::get, add(), as_bytes("?"), 5).taken, Taken::broken);
}

TEST_F(PendingTest, AnAnswerNobodyWaitsForIsUnclaimed) {
  const Ticket ticket = add();
  EXPECT_FALSE(pending_.remove(ticket)) << "it has no answer yet";
  EXPECT_EQ(take(Type::get, ticket).taken, Taken::unclaimed);
  EXPECT_EQ(pending_.find(ticket), nullptr);
  EXPECT_FALSE(pending_.remove(ticket));
  EXPECT_EQ(pending_.size(), 1U) << "the hello";
}

TEST_F(PendingTest, AnAnswerToNoQuestionIsBroken) {
  const Ticket ticket = add();
  EXPECT_EQ(take(Type::get, ticket + 1).taken, Taken::broken);
  EXPECT_EQ(take(Type::get, ~0U).taken, Taken::broken);
  take(Type::get, ticket);
  EXPECT_EQ(take(Type::get, ticket).taken, Taken::broken) << "answered twice";
}

TEST(Pending, NumbersComeRoundPastTheHelloAndWhatIsStillOpen) {
  Pending pending(make_slot<Slot>, 1);
  EXPECT_EQ(pending.add(), 1U);
  pending = Pending(make_slot<Slot>, 0xffffffffU);
  EXPECT_EQ(pending.add(), 0xffffffffU);
  EXPECT_EQ(pending.add(), 1U) << "0 is the hello's";

  pending = Pending(make_slot<Slot>, (1ULL << 32) + 7);
  EXPECT_EQ(pending.add(), 7U);
  EXPECT_EQ(pending.take({wire::Type::get, 0, 0, 0xfffffff0U}, {}).taken, Taken::unclaimed)
      << "it was asked in an earlier round";
}

TEST_F(PendingTest, ATicketIsPassedOverWhileItsPlaceIsTaken) {
  const Ticket old = add();
  std::set<Ticket> given{muster_ticket, old};
  for (int i = 0; i < 1000; ++i) {
    const Ticket ticket = add();
    EXPECT_TRUE(given.insert(ticket).second);
    take(Type::get, ticket, as_bytes(std::to_string(ticket)));
    EXPECT_EQ(as_text(pending_.remove(ticket)->body), std::to_string(ticket));
  }
  EXPECT_EQ(pending_.size(), 2U);
  EXPECT_EQ(take(Type::get, old, as_bytes("late")).taken, Taken::answered);
  EXPECT_EQ(as_text(pending_.remove(old)->body), "late");
}

TEST_F(PendingTest, SlotsStayWhereTheyAreWhileTheTableGrows) {
  std::map<Ticket, Slot*> slots{{muster_ticket, pending_.find(muster_ticket)}};
  for (int i = 0; i < 1000; ++i) {
    const Ticket ticket = add();
    slots.emplace(ticket, pending_.find(ticket));
  }
  EXPECT_EQ(slots.size(), 1001U);
  EXPECT_EQ(pending_.size(), 1001U);
  for (const auto& [ticket, slot] : slots) EXPECT_EQ(pending_.find(ticket), slot);
}

TEST_F(PendingTest, ASlotIsUsedAgainWithoutItsAnswer) {
  const Ticket first = add();
  const Slot* slot = pending_.find(first);
  take(Type::get, first, as_bytes("old"));
  pending_.remove(first);
  const Ticket second = add();
  EXPECT_EQ(pending_.find(second), slot);
  EXPECT_FALSE(slot->done);
  EXPECT_TRUE(slot->reply.body.empty());
  EXPECT_EQ(pending_.find(first), nullptr);
}

TEST_F(PendingTest, MusteredAnswersTheHello) {
  const auto outcome = take(Type::mustered, 0);
  EXPECT_EQ(outcome.taken, Taken::answered);
  ASSERT_EQ(outcome.slot, pending_.find(muster_ticket));
  EXPECT_FALSE(outcome.slot->reply.failed);
  EXPECT_EQ(outcome.slot->reply.type, Type::mustered);
  pending_.remove(muster_ticket);
  EXPECT_EQ(take(Type::mustered, 0).taken, Taken::unclaimed);
}

TEST_F(PendingTest, DoomAnswersAnOpenHelloBadlyAndIsANotice) {
  const Value body = body_of(gone);
  const auto outcome = take(Type::doomed, 0, body);
  EXPECT_EQ(outcome.taken, Taken::notice);
  EXPECT_EQ(outcome.failure, gone);
  ASSERT_EQ(outcome.slot, pending_.find(muster_ticket));
  EXPECT_TRUE(outcome.slot->done);
  EXPECT_TRUE(outcome.slot->reply.failed);
  EXPECT_EQ(outcome.slot->reply.code, Code::rank_lost);
  EXPECT_EQ(wire::decode_failure(outcome.slot->reply.body), gone);
}

TEST_F(PendingTest, DoomAfterTheJobHasMusteredIsANoticeOnly) {
  take(Type::mustered, 0);
  const auto outcome = take(Type::doomed, 0, body_of(gone));
  EXPECT_EQ(outcome.taken, Taken::notice);
  EXPECT_EQ(outcome.failure, gone);
  EXPECT_EQ(outcome.slot, nullptr);
  EXPECT_FALSE(pending_.find(muster_ticket)->reply.failed) << "the good answer stays";
}

TEST_F(PendingTest, TheServersLeavingIsANotice) {
  const Failure leaving{Code::server_lost, "the server leaves", "", {}, 1};
  const Ticket ticket = add();
  const auto outcome = take(Type::server_leaving, 0, body_of(leaving));
  EXPECT_EQ(outcome.taken, Taken::notice);
  EXPECT_EQ(outcome.failure, leaving);
  EXPECT_EQ(pending_.find(muster_ticket)->reply.code, Code::server_lost);
  EXPECT_FALSE(pending_.find(ticket)->done) << "requests end with the link";
}

TEST_F(PendingTest, UnaskedFramesThatAreNoneAreBroken) {
  EXPECT_EQ(take(Type::doomed, 0, as_bytes("?")).taken, Taken::broken);
  EXPECT_EQ(take(Type::server_leaving, 0).taken, Taken::broken);
  EXPECT_EQ(take(Type::mustered, 0, as_bytes("?")).taken, Taken::broken);
  EXPECT_EQ(take(Type::get, 0, body_of(gone)).taken, Taken::broken);
  EXPECT_EQ(take(static_cast<Type>(99), 0).taken, Taken::broken);
  EXPECT_FALSE(pending_.find(muster_ticket)->done);
}

TEST_F(PendingTest, PushesFindTheirWatchUntilItEnds) {
  std::string told;
  const Ticket ticket = pending_.add_watch([&](Bytes body) { told += as_text(body); });
  EXPECT_EQ(take(Type::watch, ticket).taken, Taken::answered);
  EXPECT_TRUE(pending_.remove(ticket));
  const auto outcome = take(Type::changed, ticket, as_bytes("news"));
  ASSERT_EQ(outcome.taken, Taken::pushed);
  outcome.watch->on_push(as_bytes("news"));
  EXPECT_EQ(told, "news");

  EXPECT_EQ(pending_.end_watch(ticket), outcome.watch);
  EXPECT_TRUE(outcome.watch->ended);
  EXPECT_EQ(pending_.end_watch(ticket), nullptr);
  EXPECT_EQ(take(Type::changed, ticket).taken, Taken::unclaimed);
  EXPECT_EQ(take(Type::changed, ticket + 1).taken, Taken::broken) << "nobody has watched there";
  EXPECT_EQ(take(Type::changed, 0).taken, Taken::broken);
}

TEST_F(PendingTest, AWatchKeepsItsNumber) {
  Pending pending(make_slot<Slot>, (std::uint64_t{1} << 32) - 1);
  const Ticket watch = pending.add_watch([](Bytes) {});
  pending.remove(watch);
  Pending round(make_slot<Slot>, std::uint64_t{watch} + (std::uint64_t{1} << 32));
  EXPECT_EQ(round.add_watch([](Bytes) {}), watch);
  round.remove(watch);
  for (int i = 0; i < 3; ++i) EXPECT_NE(round.add(), watch);
}

TEST(PendingOfVersion0, BadAnswersAreTakenAsTheyCome) {
  Pending pending(make_slot<Slot>, 1, Pending::BadAnswers::raw);
  const Ticket ticket = pending.add();
  const wire::FrameHeader header{.type = Type{}, .result = -404, .sequence = ticket};
  EXPECT_EQ(pending.take(header, as_bytes("<not exist>")).taken, Pending::Taken::answered);
  const Reply& reply = pending.find(ticket)->reply;
  EXPECT_TRUE(reply.failed);
  EXPECT_EQ(static_cast<int>(reply.code), -404);
  EXPECT_EQ(as_text(reply.body), "<not exist>");
}

TEST_F(PendingTest, EachOpenSkipsTheAnswered) {
  const Ticket answered = add();
  const Ticket open = add();
  take(Type::get, answered);
  std::set<Slot*> seen;
  pending_.each_open([&](Slot& slot) { seen.insert(&slot); });
  EXPECT_EQ(seen, (std::set<Slot*>{pending_.find(muster_ticket), pending_.find(open)}));
}

}  // namespace
}  // namespace muster::client
