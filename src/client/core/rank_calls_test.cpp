#include "client/core/rank_calls.hpp"

#include <gtest/gtest.h>

#include "base/limits.hpp"
#include "client/core/scripted_caller.hpp"

namespace muster::client {
namespace {

using namespace std::chrono_literals;

TEST(SayGoodbye, TellsTheServerHowLongItWaits) {
  ScriptedCaller caller;
  caller.answer({}, 3ms);
  const TimePoint begun = caller.now();
  EXPECT_TRUE(say_goodbye(caller, begun + 1s));
  ASSERT_EQ(caller.sent.size(), 1U);
  EXPECT_EQ(caller.sent[0].type, wire::Type::leave);
  EXPECT_EQ(wire::decode_leave(caller.sent[0].body)->wait_ms, 1000U);
  EXPECT_EQ(caller.waited_until, begun + 1s + limits::answer_grace);
}

TEST(SayGoodbye, WhoHasNotLeftIsAnErrorOfLeaving) {
  ScriptedCaller caller;
  caller.refuse({Code::rank_missing, "rank 1 did not leave", "", {{1, "n1", 18, ""}}, 1}, 950ms);
  const auto left = say_goodbye(caller, caller.now() + 1s);
  ASSERT_FALSE(left);
  EXPECT_EQ(left.error().code, Code::rank_missing);
  EXPECT_EQ(left.error().phase, Phase::leave);
  EXPECT_EQ(left.error().elapsed, 950ms);
  EXPECT_EQ(left.error().remote, "there");
}

TEST(SayGoodbye, AServerThatIsSilentIsAnError) {
  ScriptedCaller caller;
  caller.keep_silent();
  const auto left = say_goodbye(caller, caller.now() + 1s);
  ASSERT_FALSE(left);
  EXPECT_EQ(left.error().code, Code::timeout);
  EXPECT_EQ(left.error().phase, Phase::leave);
}

TEST(SayGoodbye, AServerThatIsGoneHasNobodyLeftToWaitFor) {
  ScriptedCaller before;
  before.close(Error{.code = Code::server_lost, .what = "gone"});
  EXPECT_TRUE(say_goodbye(before, before.now() + 1s));

  ScriptedCaller meanwhile;
  meanwhile.answer({}, 3ms);
  meanwhile.while_waiting = [&] {
    meanwhile.close(Error{.code = Code::rank_lost, .what = "it went over another rank"});
  };
  EXPECT_TRUE(say_goodbye(meanwhile, meanwhile.now() + 1s));
}

TEST(FailJob, SaysWhyAndWithWhat) {
  ScriptedCaller caller;
  caller.answer({});
  EXPECT_TRUE(fail_job(caller, "the disk is full", 9, caller.now() + 1s));
  const auto sent = wire::decode_fail(caller.sent.at(0).body);
  EXPECT_EQ(sent->reason, "the disk is full");
  EXPECT_EQ(sent->exit_code, 9);

  caller.close(Error{.code = Code::server_lost, .what = "gone"});
  const auto failed = fail_job(caller, "again", 9, caller.now() + 1s);
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code, Code::server_lost);
}

}  // namespace
}  // namespace muster::client
