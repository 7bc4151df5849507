#include "group/server_group.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

#include "base/limits.hpp"
#include "client/core/scripted_caller.hpp"
#include "group/group_id.hpp"
#include "wire/group_messages.hpp"
#include "wire/round_messages.hpp"

namespace muster {
namespace {

using namespace std::chrono_literals;
using client::ScriptedCaller;
using testing::ElementsAre;
using testing::HasSubstr;

Value verdict(const std::vector<std::string_view>& texts = {}) {
  std::vector<Bytes> parts;
  for (const std::string_view text : texts) parts.push_back(as_bytes(text));
  Value body;
  wire::encode_verdict(parts, body);
  return body;
}

std::vector<std::string> texts_of(const Result<Parts>& parts) {
  std::vector<std::string> texts;
  for (const Bytes part : parts.value()) texts.emplace_back(as_text(part));
  return texts;
}

const Failure missing{Code::rank_missing, "rank 1 did not come", "", {{1, "", 0, ""}}, 1};
const Failure differs{Code::mismatch,
                      "rank 0 is in barrier 'a', rank 1 in barrier 'b'",
                      "make the same calls",
                      {{0, "n0", 1, ""}, {1, "n1", 2, ""}},
                      1};

/// Rank 0 of 2, whose server says what the test has written down.
class ServerGroupTest : public testing::Test {
 protected:
  ServerGroupTest() {
    caller_->session_.incarnation = {0xAB};
    group_ = make_world_group(caller_);
  }

  /// The last ARRIVE that was sent.
  wire::Arrive sent() const {
    EXPECT_EQ(caller_->sent.back().type, wire::Type::arrive);
    return wire::decode_arrive(caller_->sent.back().body).value();
  }

  std::shared_ptr<ScriptedCaller> caller_ = std::make_shared<ScriptedCaller>();
  std::unique_ptr<Group> group_;
};

TEST_F(ServerGroupTest, KnowsItsSession) {
  caller_->session_.operation_timeout = 7s;
  EXPECT_EQ(group_->rank(), 0U);
  EXPECT_EQ(group_->size(), 2U);
  EXPECT_EQ(group_->identity(), (Identity{{0xAB}, 0}));
  EXPECT_EQ(group_->now(), caller_->now());
  EXPECT_EQ(group_->resolve({}), caller_->now() + 7s);
  EXPECT_EQ(group_->resolve(Deadline::in(1s)), caller_->now() + 1s);
}

TEST_F(ServerGroupTest, Barrier) {
  caller_->answer(verdict());
  EXPECT_TRUE(group_->barrier("epoch end", Deadline::in(1500ms)));
  EXPECT_EQ(sent().group, wire::world_group);
  EXPECT_EQ(sent().sequence, 1U);
  EXPECT_EQ(sent().kind, Kind::barrier);
  EXPECT_EQ(sent().label, "epoch end");
  EXPECT_EQ(sent().left_ms, 1500U);
  ASSERT_EQ(sent().parts.size(), 1U);
  EXPECT_EQ(sent().parts[0].rank, 0U);
  EXPECT_EQ(caller_->waited_until, caller_->now() + 1500ms + limits::verdict_grace);
}

TEST_F(ServerGroupTest, BroadcastSendsTheRootsPayloadOnly) {
  caller_->answer(verdict({"news"}));
  EXPECT_EQ(as_text(group_->broadcast(as_bytes("news"), 0, "b").value()), "news");
  EXPECT_EQ(sent().kind, Kind::broadcast);
  EXPECT_EQ(as_text(sent().parts[0].payload), "news");

  caller_->answer(verdict({"theirs"}));
  EXPECT_EQ(as_text(group_->broadcast(as_bytes("mine"), 1).value()), "theirs");
  EXPECT_EQ(sent().root, 1U);
  EXPECT_TRUE(sent().parts[0].payload.empty());
}

TEST_F(ServerGroupTest, GatherGivesPartsToItsRoot) {
  caller_->answer(verdict({"a", "bc"}));
  EXPECT_THAT(texts_of(group_->gather(as_bytes("a"), 0)), ElementsAre("a", "bc"));
  EXPECT_EQ(sent().kind, Kind::gather);
  caller_->answer(verdict());
  EXPECT_THAT(texts_of(group_->gather(as_bytes("a"), 1)), ElementsAre());
  EXPECT_EQ(sent().root, 1U);
  EXPECT_EQ(as_text(sent().parts[0].payload), "a");
}

TEST_F(ServerGroupTest, ScatterSendsTheRootsPayloadsAsParts) {
  caller_->answer(verdict({"mine"}));
  const std::vector<Bytes> payloads{as_bytes("mine"), as_bytes("theirs")};
  EXPECT_EQ(as_text(group_->scatter(payloads, 0, "deal").value()), "mine");
  EXPECT_EQ(sent().kind, Kind::scatter);
  EXPECT_EQ(sent().label, "deal");
  const auto parts = wire::decode_verdict(to_value(sent().parts[0].payload));
  EXPECT_EQ(parts.value(), Parts(payloads));

  caller_->answer(verdict({"yours"}));
  EXPECT_EQ(as_text(group_->scatter(payloads, 1).value()), "yours");
  EXPECT_EQ(sent().root, 1U);
  EXPECT_TRUE(sent().parts[0].payload.empty());
}

TEST_F(ServerGroupTest, AlltoallSendsAllPayloadsAndGetsAPartOfEachRank) {
  caller_->answer(verdict({"for me", "for us"}));
  const std::vector<Bytes> payloads{as_bytes("to me."), as_bytes("to you")};
  EXPECT_THAT(texts_of(group_->alltoall(payloads, "mail")), ElementsAre("for me", "for us"));
  EXPECT_EQ(sent().kind, Kind::alltoall);
  EXPECT_EQ(sent().label, "mail");
  const auto parts = wire::decode_verdict(to_value(sent().parts[0].payload));
  EXPECT_EQ(parts.value(), Parts(payloads));
}

TEST_F(ServerGroupTest, AllgathersAndExchange) {
  caller_->answer(verdict({"a", "b"}));
  EXPECT_THAT(texts_of(group_->allgather(as_bytes("a"))), ElementsAre("a", "b"));
  EXPECT_EQ(sent().kind, Kind::allgather);
  EXPECT_EQ(sent().token, Digest{});
  caller_->answer(verdict({"", "bc"}));
  EXPECT_THAT(texts_of(group_->allgatherv({})), ElementsAre("", "bc"));
  EXPECT_EQ(sent().kind, Kind::allgatherv);
  caller_->answer(verdict({"x", "y"}));
  const Digest token = sha256(as_bytes("token"));
  EXPECT_THAT(texts_of(group_->exchange("phase", token, as_bytes("x"), Deadline::in(1s))),
              ElementsAre("x", "y"));
  EXPECT_EQ(sent().kind, Kind::exchange);
  EXPECT_EQ(sent().label, "phase");
  EXPECT_EQ(sent().token, token);
  EXPECT_EQ(sent().sequence, 3U);
}

TEST_F(ServerGroupTest, ASubsetIsOpenedUsedAndClosed) {
  caller_->session_.rank = 3;
  caller_->session_.size = 5;
  const auto world = make_world_group(caller_);
  caller_->answer({});
  auto subset = world->subset(std::vector<std::uint32_t>{4, 3, 0}).value();
  EXPECT_EQ(subset->rank(), 1U);
  EXPECT_EQ(subset->size(), 3U);
  EXPECT_EQ(subset->rank_in_job(0), 4U);
  EXPECT_EQ(subset->identity(), world->identity());
  ASSERT_EQ(caller_->sent.size(), 1U) << "it waits for nothing";
  const auto open = wire::decode_open_group(caller_->sent[0].body).value();
  EXPECT_EQ(open.members, (std::vector<std::uint32_t>{4, 3, 0}));
  EXPECT_EQ(open.group, group_id(0, 0, open.members, 0));

  caller_->answer(verdict({"a", "b", "c"}));
  EXPECT_THAT(texts_of(subset->allgather(as_bytes("b"))), ElementsAre("a", "b", "c"));
  EXPECT_EQ(sent().group, open.group);
  EXPECT_EQ(sent().sequence, 1U);
  EXPECT_EQ(sent().parts[0].rank, 3U) << "the rank in the job";

  caller_->answer({});
  const auto inner = subset->subset(std::vector<std::uint32_t>{1, 0}).value();
  const auto inner_open = wire::decode_open_group(caller_->sent.back().body).value();
  EXPECT_EQ(inner_open.members, (std::vector<std::uint32_t>{3, 4}));
  EXPECT_EQ(inner_open.group, group_id(open.group, 0, inner_open.members, 0));

  caller_->answer({});
  subset.reset();
  ASSERT_EQ(caller_->sent.back().type, wire::Type::close_group);
  const auto close = wire::decode_close_group(caller_->sent.back().body).value();
  EXPECT_EQ(close.group, open.group);
  EXPECT_EQ(close.ranks, (std::vector<std::uint32_t>{3}));
  caller_->answer({});
}

TEST_F(ServerGroupTest, ASecondSubsetOfTheSameMembersIsAnotherGroup) {
  const std::vector<std::uint32_t> both{0, 1};
  std::vector<std::uint64_t> ids;
  for (int i = 0; i < 3; ++i) {
    caller_->answer({});
    const auto subset = group_->subset(both).value();
    ids.push_back(wire::decode_open_group(caller_->sent.back().body)->group);
    caller_->answer({});
  }
  EXPECT_THAT(
      ids, ElementsAre(group_id(0, 0, both, 0), group_id(0, 0, both, 1), group_id(0, 0, both, 2)));
}

TEST_F(ServerGroupTest, SubsetsThatMakeNoSenseAreRefusedHere) {
  const auto refused = [&](std::vector<std::uint32_t> members, const std::string& text) {
    const auto subset = group_->subset(members);
    ASSERT_FALSE(subset);
    EXPECT_EQ(subset.error().code, Code::invalid_argument);
    EXPECT_EQ(subset.error().phase, Phase::local);
    EXPECT_THAT(subset.error().what, HasSubstr(text));
  };
  refused({}, "one member at least");
  refused({0, 1, 0}, "rank 0 is twice");
  refused({0, 2}, "rank 2 is no rank of this group, its ranks are 0 to 1");
  refused({1}, "rank 0 is none of this one, of ranks 1");
  EXPECT_TRUE(caller_->sent.empty());
}

TEST_F(ServerGroupTest, ASubsetThatTheServerRefusesIsBroken) {
  caller_->refuse(Failure{Code::limit, "too many subsets", "", {}, 1});
  const auto subset = group_->subset(std::vector<std::uint32_t>{0}).value();
  caller_->refuse(Failure{Code::invalid_argument, "there is no group 1", "", {}, 1});
  const auto answer = subset->barrier();
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, Code::limit);
  EXPECT_EQ(answer.error().what, "too many subsets");
  EXPECT_EQ(subset->barrier().error().what, "too many subsets") << "for good";
  EXPECT_EQ(caller_->sent.size(), 2U);
  caller_->answer({});
}

TEST_F(ServerGroupTest, NoSubsetOverALinkThatIsDown) {
  caller_->close(Error{.code = Code::server_lost, .what = "the server is gone"});
  const auto subset = group_->subset(std::vector<std::uint32_t>{0});
  ASSERT_FALSE(subset);
  EXPECT_EQ(subset.error().what, "the server is gone");
}

TEST_F(ServerGroupTest, ATimeOutLeavesTheGroupUsable) {
  for (const Failure& failure : {missing, Failure{Code::limit, "too much", "", {}, 1}}) {
    caller_->refuse(failure, 950ms);
    const auto answer = group_->barrier("b", Deadline::in(1s));
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().code, failure.code);
    EXPECT_EQ(answer.error().what, failure.reason);
    EXPECT_EQ(answer.error().ranks, failure.who);
    EXPECT_EQ(answer.error().phase, Phase::operation);
    EXPECT_EQ(answer.error().elapsed, 950ms);
    EXPECT_EQ(answer.error().remote, "there");
  }
  caller_->answer(verdict());
  EXPECT_TRUE(group_->barrier());
  EXPECT_EQ(sent().sequence, 3U) << "the rounds that timed out were rounds";
}

TEST_F(ServerGroupTest, AMismatchBreaksItForGood) {
  for (const Code code : {Code::mismatch, Code::rank_lost, Code::rank_left, Code::rank_failed}) {
    Failure failure = differs;
    failure.code = code;
    const auto caller = std::make_shared<ScriptedCaller>();
    const auto group = make_world_group(caller);
    caller->refuse(failure, 10ms);
    const auto first = group->barrier("a");
    ASSERT_FALSE(first);
    const auto later = group->allgather(as_bytes("x"));
    ASSERT_FALSE(later);
    EXPECT_EQ(later.error().code, code);
    EXPECT_EQ(later.error().what, failure.reason);
    EXPECT_EQ(later.error().advice, failure.advice);
    EXPECT_EQ(later.error().ranks, failure.who);
    EXPECT_EQ(later.error().elapsed, Duration{0});
    EXPECT_EQ(caller->sent.size(), 1U) << "the second call sends nothing";
    EXPECT_FALSE(caller->down) << "the store goes on";
  }
}

TEST_F(ServerGroupTest, CallsThatAreWrongByThemselvesSendNothing) {
  const auto refused = [&](const Call& call, Code code, const std::string& text) {
    const auto answer = group_->arrive(call, {});
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().code, code);
    EXPECT_EQ(answer.error().phase, Phase::local);
    EXPECT_THAT(answer.error().what, HasSubstr(text));
  };
  const std::string longest(limits::label_bytes_max, 'l');
  const std::string longer = longest + "l";
  const Value large(limits::round_bytes_max + 1);
  refused({.label = longer}, Code::limit, "at most 255 bytes, this one has 256");
  refused({.kind = Kind::gather, .root = 2}, Code::invalid_argument, "root 2 is no rank");
  refused({.kind = Kind::allgather, .payload = large}, Code::limit, "67108865");
  refused({.kind = Kind::barrier, .payload = as_bytes("x")}, Code::invalid_argument,
          "nothing to bring to this barrier");
  refused({.kind = Kind::broadcast, .payload = as_bytes("x"), .root = 1}, Code::invalid_argument,
          "brings 1 bytes");
  refused({.kind = Kind{9}}, Code::invalid_argument, "kind 9");
  refused({.kind = Kind::scatter}, Code::invalid_argument,
          "one payload for each of 2 ranks, rank 0 brings 0");
  const std::vector<Bytes> two(2, as_bytes("x"));
  const std::vector<Bytes> three(3, as_bytes("x"));
  refused({.kind = Kind::scatter, .payloads = three}, Code::invalid_argument, "rank 0 brings 3");
  refused({.kind = Kind::scatter, .root = 1, .payloads = two}, Code::invalid_argument,
          "nothing to bring to this scatter");
  refused({.kind = Kind::scatter, .payload = as_bytes("x"), .payloads = two},
          Code::invalid_argument, "nothing to bring to this scatter");
  refused({.kind = Kind::gather, .payloads = two}, Code::invalid_argument, "nothing to bring");
  refused({.kind = Kind::alltoall, .payloads = three}, Code::invalid_argument, "rank 0 brings 3");
  refused({.kind = Kind::alltoall, .payload = as_bytes("x"), .payloads = two},
          Code::invalid_argument, "nothing to bring to this alltoall");
  refused({.kind = Kind::alltoall, .payloads = std::vector<Bytes>{as_bytes("x"), as_bytes("yz")}},
          Code::invalid_argument, "for rank 1 has 2 bytes, and for rank 0 1");
  const std::vector<Bytes> heavy{Bytes(large).first(limits::round_bytes_max - 11), {}};
  refused({.kind = Kind::scatter, .payloads = heavy}, Code::limit, "67108865");
  EXPECT_TRUE(caller_->sent.empty());

  caller_->answer(verdict());
  EXPECT_TRUE(group_->barrier(longest));
  EXPECT_EQ(sent().sequence, 1U) << "what was refused used no sequence number";
  caller_->answer(verdict({"", ""}));
  EXPECT_TRUE(group_->allgather(Bytes(large).first(limits::round_bytes_max)));
}

TEST_F(ServerGroupTest, ASecondCallInFlightIsBusy) {
  std::optional<Error> second;
  caller_->while_waiting = [&] { second = group_->barrier("second").error(); };
  caller_->answer(verdict());
  EXPECT_TRUE(group_->barrier("first"));
  ASSERT_TRUE(second);
  EXPECT_EQ(second->code, Code::busy);
  EXPECT_EQ(caller_->sent.size(), 1U);

  caller_->while_waiting = nullptr;
  caller_->answer(verdict());
  EXPECT_TRUE(group_->barrier("third"));
  EXPECT_EQ(sent().sequence, 2U) << "busy used no sequence number";
}

TEST_F(ServerGroupTest, WithoutAVerdictTheLinkIsClosed) {
  caller_->keep_silent();
  const auto answer = group_->barrier("b", Deadline::in(1s));
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, Code::server_lost);
  EXPECT_EQ(answer.error().phase, Phase::operation);
  EXPECT_EQ(answer.error().elapsed, 1s + limits::verdict_grace);
  EXPECT_THAT(answer.error().what, HasSubstr("no verdict on this barrier"));
  ASSERT_TRUE(caller_->down);
  EXPECT_EQ(caller_->down->what, answer.error().what);
  EXPECT_EQ(group_->barrier().error().what, answer.error().what);
}

TEST_F(ServerGroupTest, AVerdictWithinTheGraceCounts) {
  caller_->answer(verdict(), 1s + limits::verdict_grace);
  EXPECT_TRUE(group_->barrier("b", Deadline::in(1s)));
  caller_->answer(verdict(), 5ms);
  EXPECT_TRUE(group_->barrier("b", Deadline::in(0s))) << "a passed deadline looks once";
  EXPECT_EQ(sent().left_ms, 0U);
  EXPECT_FALSE(caller_->down);
}

TEST_F(ServerGroupTest, ALinkThatIsDownIsTheResult) {
  caller_->close(Error{.code = Code::server_lost, .what = "the server is gone"});
  const auto answer = group_->barrier();
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, Code::server_lost);
  EXPECT_EQ(answer.error().what, "the server is gone");
  EXPECT_EQ(answer.error().phase, Phase::operation);
}

TEST_F(ServerGroupTest, ALinkThatBreaksInFlightBreaksTheGroup) {
  caller_->answer(verdict());
  caller_->while_waiting = [&] {
    caller_->close(Error{.code = Code::rank_failed, .what = "rank 1 failed"});
  };
  EXPECT_EQ(group_->barrier().error().code, Code::rank_failed);
  caller_->down.reset();
  EXPECT_EQ(group_->barrier().error().what, "rank 1 failed");
}

TEST_F(ServerGroupTest, AVerdictThatIsNoneClosesTheLink) {
  const Value no_parts = verdict();
  const Value one_part = verdict({"x"});
  for (const Value& body : {Value{}, to_value("?"), no_parts, one_part}) {
    const auto caller = std::make_shared<ScriptedCaller>();
    const auto group = make_world_group(caller);
    caller->answer(body);
    const auto answer = group->allgather({});
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().code, Code::protocol);
    EXPECT_THAT(answer.error().what, HasSubstr("verdict on this allgather is malformed"));
    EXPECT_TRUE(caller->down);
    EXPECT_EQ(group->barrier().error().code, Code::protocol);
  }
}

}  // namespace
}  // namespace muster
