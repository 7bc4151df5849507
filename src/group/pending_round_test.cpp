#include "group/pending_round.hpp"

#include <gmock/gmock.h>
#include <string>
#include <vector>

#include "base/limits.hpp"
#include "client/core/scripted_caller.hpp"
#include "group/server_group.hpp"
#include "wire/round_messages.hpp"

namespace muster {
namespace {

using namespace std::chrono_literals;
using client::ScriptedCaller;

Value verdict(const std::vector<std::string_view>& texts) {
  std::vector<Bytes> parts;
  for (const std::string_view text : texts) parts.push_back(as_bytes(text));
  Value body;
  wire::encode_verdict(parts, body);
  return body;
}

class PendingRoundTest : public testing::Test {
 protected:
  Result<std::unique_ptr<PendingRound>> start(Kind kind, std::string_view payload = {}) {
    auto* starts = dynamic_cast<StartsRounds*>(group_.get());
    return starts->start({.kind = kind, .label = "work", .payload = as_bytes(payload)},
                         Deadline::in(1s));
  }

  std::shared_ptr<ScriptedCaller> caller_ = std::make_shared<ScriptedCaller>();
  std::unique_ptr<Group> group_ = make_world_group(caller_);
};

TEST_F(PendingRoundTest, ArrivesAtOnceAndIsWaitedForLater) {
  caller_->answer(verdict({"a", "b"}), 10ms);
  auto round = start(Kind::allgather, "a");
  ASSERT_TRUE(round) << round.error().text();
  ASSERT_EQ(caller_->sent.size(), 1U);
  EXPECT_EQ(wire::decode_arrive(caller_->sent[0].body)->label, "work");
  EXPECT_FALSE((*round)->test());
  const auto parts = (*round)->wait();
  ASSERT_TRUE(parts) << parts.error().text();
  EXPECT_EQ(as_text((*parts)[1]), "b");
}

TEST_F(PendingRoundTest, TestSeesTheVerdict) {
  caller_->answer(verdict({}));
  auto round = start(Kind::barrier);
  EXPECT_TRUE((*round)->test());
  EXPECT_TRUE((*round)->wait());
}

TEST_F(PendingRoundTest, TheGroupIsBusyUntilItHasBeenWaitedFor) {
  caller_->answer(verdict({}));
  auto round = start(Kind::barrier);
  EXPECT_EQ(start(Kind::barrier).error().code, Code::busy);
  EXPECT_EQ(group_->barrier().error().code, Code::busy);
  EXPECT_TRUE((*round)->wait());
  caller_->answer(verdict({}));
  EXPECT_TRUE(group_->barrier());
}

TEST_F(PendingRoundTest, WithoutAVerdictItEndsAtItsOwnDeadline) {
  caller_->keep_silent();
  const TimePoint begun = caller_->now();
  auto round = start(Kind::barrier);
  EXPECT_FALSE((*round)->test());
  EXPECT_EQ((*round)->wait().error().code, Code::server_lost);
  EXPECT_LE(caller_->now() - begun, 1s + 2 * limits::verdict_grace);
  EXPECT_TRUE(caller_->down) << "whoever does not know the verdict must not go on";
}

TEST_F(PendingRoundTest, AfterItsDeadlineWaitingIsNotWaiting) {
  caller_->keep_silent();
  auto round = start(Kind::barrier);
  EXPECT_FALSE((*round)->test());
  caller_->tick = 2s;
  EXPECT_TRUE((*round)->test());
}

TEST_F(PendingRoundTest, WhatIsRefusedHereIsNoRound) {
  EXPECT_EQ(start(Kind::barrier, "payload").error().code, Code::invalid_argument);
  EXPECT_TRUE(caller_->sent.empty());
  caller_->answer(verdict({}));
  EXPECT_TRUE(group_->barrier()) << "not busy";
}

}  // namespace
}  // namespace muster
