#include "store/version0_store.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "base/limits.hpp"
#include "client/core/scripted_caller.hpp"
#include "wire/v0_body.hpp"
#include "wire/v0_requests.hpp"

namespace muster {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::HasSubstr;
using wire::v0::Operation;

Value packed(std::string_view value) {
  Value body;
  wire::v0::pack({wire::v0::no_user_word, Operation::get, {}, {as_bytes(value)}}, body);
  return body;
}

class Version0StoreTest : public testing::Test {
 protected:
  Version0StoreTest() { caller_->tick = 1ns; }  // as a real clock: later at each look

  void refuse(std::int16_t number, Duration after = {}) {
    caller_->refuse({.code = Code{number}}, after);
  }
  std::int64_t waited(std::size_t request) const {
    return wire::v0::unpack(caller_->sent.at(request).body)->user_word;
  }

  std::shared_ptr<client::ScriptedCaller> caller_ = std::make_shared<client::ScriptedCaller>();
  std::unique_ptr<Store> store_ = make_version0_store(caller_);
};

TEST_F(Version0StoreTest, ADeadlineThatHasPassedLooksOnce) {
  caller_->answer(packed("v"), 5ms);
  EXPECT_EQ(as_text(store_->get("k", Deadline::in(0s)).value()), "v");
  caller_->answer(to_value("success"), 5ms);
  EXPECT_TRUE(store_->set("k", {}, Deadline::in(0s)));
  caller_->answer(packed("v"), 5ms);
  EXPECT_TRUE(store_->wait_get("k", Deadline::in(0s)));
  EXPECT_EQ(waited(2), 0);
  refuse(-404, 5ms);
  EXPECT_EQ(store_->wait_get("k", Deadline::in(0s)).error().code, Code::timeout)
      << "wait_get has waited as long as it was told to";
}

TEST_F(Version0StoreTest, TheServersOwnTimeOutWinsOverTheLocalOne) {
  refuse(-601, 1s + 50ms);
  const auto answer = store_->wait_get("k", Deadline::in(1s));
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, Code::timeout);
  EXPECT_THAT(answer.error().what, AllOf(HasSubstr("'k'"), HasSubstr("-601")));
  EXPECT_EQ(waited(0), 1000);
  caller_->keep_silent();
  const auto silent = store_->get("k", Deadline::in(1s));
  EXPECT_THAT(silent.error().what, HasSubstr("no answer"));
  EXPECT_LT(silent.error().elapsed, 1s + limits::answer_grace) << "no grace without a wait";
}

TEST_F(Version0StoreTest, AWaitWithoutAnEndIsSaidAsOne) {
  caller_->answer(packed("v"));
  EXPECT_TRUE(store_->wait_get("k", Deadline::at(TimePoint::max())));
  EXPECT_EQ(waited(0), -1);
  EXPECT_EQ(caller_->waited_until, TimePoint::max());
}

TEST_F(Version0StoreTest, WhatIsOverALimitSendsNothing) {
  const Value over(limits::v0_sent_values_bytes_max + 1);
  const auto refused = store_->set("k", over);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::limit);
  EXPECT_THAT(refused.error().what,
              AllOf(HasSubstr("at most 10484678"), HasSubstr("carry 10484679"), HasSubstr("'k'")));
  EXPECT_EQ(store_->compare_set("k", as_bytes("x"), Bytes(over).subspan(1)).error().code,
            Code::limit);
  const KeyValue entries[] = {{"a", as_bytes("fits")}, {"b", over}};
  EXPECT_EQ(store_->multi_set(entries).error().code, Code::limit);
  EXPECT_EQ(store_->get("").error().code, Code::limit);
  EXPECT_TRUE(caller_->sent.empty());

  caller_->answer(to_value("success"));
  EXPECT_TRUE(store_->set(std::string(limits::key_bytes_max, 'k'), Bytes(over).subspan(1)));
  EXPECT_LE(caller_->sent[0].body.size(), limits::v0_frame_body_bytes_max);
}

TEST_F(Version0StoreTest, AtMostSoManyRequestsOfACallAreInFlight) {
  const std::vector<std::string_view> keys(3 * limits::v0_in_flight_max, "k");
  std::size_t waits = 0;
  for (std::size_t i = 0; i < keys.size(); ++i) caller_->answer(packed("v"));
  caller_->while_waiting = [&] {
    EXPECT_LE(caller_->sent.size() - waits++, limits::v0_in_flight_max)
        << "the reference drops what is too much";
  };
  EXPECT_EQ(store_->multi_get(keys).value().size(), keys.size());
}

TEST_F(Version0StoreTest, AMultiGetThatFailsGivesUpWhatIsInFlight) {
  refuse(-1);
  caller_->answer(packed("v"));
  const std::string_view keys[] = {"a", "b"};
  const auto answer = store_->multi_get(keys);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, Code::invalid_state);
  EXPECT_THAT(answer.error().what, HasSubstr("multi_get of key 'a'"));
}

TEST_F(Version0StoreTest, AnAnswerThatIsNoneIsAProtocolError) {
  caller_->answer(to_value("?"));
  EXPECT_EQ(store_->get("k").error().code, Code::protocol);
  caller_->answer(to_value("seven"));
  EXPECT_THAT(store_->add("k", 7).error().what, HasSubstr("add of key 'k'"));
  refuse(99);
  EXPECT_EQ(store_->remove("k").error().code, Code::protocol);
}

}  // namespace
}  // namespace muster
