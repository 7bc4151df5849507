#include "server/core/outbox.hpp"

#include <gtest/gtest.h>

#include "server/core/core_fixture.hpp"

namespace muster::server {
namespace {

const ReplyTo first{1, wire::Type::get, 10};
const ReplyTo second{1, wire::Type::set, 11};
const ReplyTo other{2, wire::Type::get, 10};

TEST(Outbox, WritesAnswersAsFrames) {
  Actions actions;
  Outbox out(actions);
  out.body(first, as_bytes("value"));
  out.fail(other, Code::not_found, "no such key");
  const auto frames = frames_of(actions);
  ASSERT_EQ(frames.size(), 2U);
  EXPECT_EQ(frames[0], (Seen{1, wire::Type::get, 10, 0, to_value("value")}));
  EXPECT_EQ(frames[1].result, static_cast<std::int16_t>(Code::not_found));
  EXPECT_EQ(frames[1].failure().reason, "no such key");
}

TEST(Outbox, JoinsWhatGoesToOneLinkInARow) {
  Actions actions;
  Outbox out(actions);
  out.empty(first);
  out.empty(second);
  out.empty(other);
  out.empty(first);
  EXPECT_EQ(actions.list.size(), 3U);
  EXPECT_EQ(frames_of(actions).size(), 4U);
}

TEST(Outbox, NothingIsWrittenBehindASharedTail) {
  Actions actions;
  Outbox out(actions);
  const auto large = std::make_shared<const Value>(to_value("large"));
  out.empty(second);
  out.shared(first, large);  // joins: its header stands behind the answer before
  out.empty(second);
  ASSERT_EQ(actions.list.size(), 2U);
  EXPECT_EQ(std::get<Send>(actions.list[0]).tail, large);
  EXPECT_EQ(large.use_count(), 2);
  const auto frames = frames_of(actions);
  ASSERT_EQ(frames.size(), 3U);
  EXPECT_EQ(frames[1].body, to_value("large"));
}

TEST(Outbox, ABodyMayBeginHereAndEndShared) {
  Actions actions;
  Outbox out(actions);
  const auto large = std::make_shared<const Value>(to_value("large"));
  const auto write = [](Value& head) { head.push_back(std::byte{'a'}); };
  out.headed(first, write, large);
  out.headed(first, write, nullptr);
  const auto frames = frames_of(actions);
  ASSERT_EQ(frames.size(), 2U);
  EXPECT_EQ(frames[0], (Seen{1, wire::Type::get, 10, 0, to_value("alarge")}));
  EXPECT_EQ(frames[1].body, to_value("a"));
}

TEST(Outbox, SharesOneFailureAmongMany) {
  Actions actions;
  Outbox out(actions);
  const Failure failure{.code = Code::rank_lost, .reason = "gone", .exit_code = 3};
  const SharedFailure shared = share(failure);
  out.fail(first, shared);
  out.fail(other, shared);
  EXPECT_EQ(shared.body.use_count(), 3);
  for (const Seen& frame : frames_of(actions)) {
    EXPECT_EQ(frame.result, static_cast<std::int16_t>(Code::rank_lost));
    EXPECT_EQ(frame.failure(), failure);
  }
}

TEST(Outbox, KeepsTheOrderOfSendsAndCloses) {
  Actions actions;
  Outbox out(actions);
  out.empty(first);
  out.close(1);
  out.empty(other);
  ASSERT_EQ(actions.list.size(), 3U);
  EXPECT_TRUE(std::holds_alternative<Close>(actions.list[1]));
}

}  // namespace
}  // namespace muster::server
