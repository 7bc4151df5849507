#include "client/core/caller.hpp"

#include <gtest/gtest.h>

#include "base/limits.hpp"
#include "client/core/scripted_caller.hpp"
#include "wire/store_messages.hpp"

namespace muster::client {
namespace {

using namespace std::chrono_literals;

Value request() {
  return frame(wire::Type::get, wire::GetRequest{"k", 0});
}

TEST(Call, GivesTheAnswersBody) {
  ScriptedCaller caller;
  caller.answer(to_value("v"), 3ms);
  const auto answer = call(caller, request(), caller.now() + 1s);
  EXPECT_EQ(as_text(answer.value()), "v");
  ASSERT_EQ(caller.sent.size(), 1U);
  EXPECT_EQ(caller.sent[0].type, wire::Type::get);
  EXPECT_EQ(wire::decode_get(caller.sent[0].body)->key, "k");
}

TEST(Call, ABadReplyBecomesItsError) {
  ScriptedCaller caller;
  caller.refuse({Code::rank_lost, "rank 1 is gone", "look at node7", {{1, "n7", 4711, ""}}, 70},
                250ms);
  const auto answer = call(caller, request(), caller.now() + 1s, Phase::leave);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, Code::rank_lost);
  EXPECT_EQ(answer.error().phase, Phase::leave);
  EXPECT_EQ(answer.error().what, "rank 1 is gone");
  EXPECT_EQ(answer.error().advice, "look at node7");
  EXPECT_EQ(answer.error().ranks.at(0).host, "n7");
  EXPECT_EQ(answer.error().exit_code, 70);
  EXPECT_EQ(answer.error().elapsed, 250ms);
  EXPECT_EQ(answer.error().local, "here");
  EXPECT_EQ(answer.error().remote, "there");
}

TEST(Call, EndsAtItsDeadline) {
  ScriptedCaller caller;
  caller.keep_silent();
  const auto answer = call(caller, request(), caller.now() + 1s);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, Code::timeout);
  EXPECT_EQ(answer.error().phase, Phase::operation);
  EXPECT_EQ(answer.error().elapsed, 1s);
  EXPECT_EQ(answer.error().remote, "there");
}

TEST(Call, OnALinkThatIsDownSendsNothing) {
  ScriptedCaller caller;
  caller.close(Error{.code = Code::server_lost, .what = "gone"});
  const auto answer = call(caller, request(), caller.now() + 1s);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, Code::server_lost);
  EXPECT_TRUE(caller.sent.empty());
}

/// Answers every request as if it had been `type`.
class OffTopicCaller : public ScriptedCaller {
 public:
  Result<Reply> wait(Ticket ticket, TimePoint deadline) override {
    auto reply = ScriptedCaller::wait(ticket, deadline);
    if (reply) reply->type = wire::Type::set;
    return reply;
  }
};

TEST(Call, AnAnswerToAnotherQuestionIsAProtocolError) {
  OffTopicCaller caller;
  caller.answer(to_value("v"));
  const auto answer = call(caller, request(), caller.now() + 1s);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, Code::protocol);
}

TEST(LeftMs, RoundsUpAndIsBounded) {
  const TimePoint now{1000h};
  EXPECT_EQ(left_ms(now, now - 1s), 0U);
  EXPECT_EQ(left_ms(now, now), 0U);
  EXPECT_EQ(left_ms(now, now + 1ns), 1U);
  EXPECT_EQ(left_ms(now, now + 1ms), 1U);
  EXPECT_EQ(left_ms(now, now + 1ms + 1ns), 2U);
  const std::uint32_t most = std::chrono::milliseconds{limits::wait_max}.count();
  EXPECT_EQ(left_ms(now, now + limits::wait_max), most);
  EXPECT_EQ(left_ms(now, now + limits::wait_max + 1ms), most);
  EXPECT_EQ(left_ms(now, TimePoint::max()), most);
  EXPECT_EQ(left_ms(now, TimePoint::min()), 0U);
}

TEST(WithGrace, IsLaterThanTheDeadlineAndNeverPast) {
  const TimePoint now{1000h};
  EXPECT_EQ(with_grace(now, now + 1s), now + 1s + limits::answer_grace);
  EXPECT_EQ(with_grace(now, now - 1h), now + limits::answer_grace);
  EXPECT_EQ(with_grace(now, TimePoint::max()), TimePoint::max());
  EXPECT_EQ(with_grace(now, TimePoint::max() - 1ns), TimePoint::max());
}

}  // namespace
}  // namespace muster::client
