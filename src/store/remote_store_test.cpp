#include "store/remote_store.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

#include "base/limits.hpp"
#include "client/core/scripted_caller.hpp"
#include "wire/cursor.hpp"
#include "wire/store_messages.hpp"

namespace muster {
namespace {

using namespace std::chrono_literals;
using client::ScriptedCaller;
using testing::HasSubstr;
using testing::Not;
using wire::Type;

class RemoteStoreTest : public testing::Test {
 protected:
  std::shared_ptr<ScriptedCaller> caller_ = std::make_shared<ScriptedCaller>();
  std::unique_ptr<Store> store_ = make_remote_store(caller_);
};

Value sum(std::int64_t number) {
  Value body;
  wire::Writer(body).i64(number);
  return body;
}

TEST_F(RemoteStoreTest, SendsEachRequestAndReadsItsAnswer) {
  caller_->answer({});
  EXPECT_TRUE(store_->set("k", as_bytes("v")));
  caller_->answer(to_value("v"));
  EXPECT_EQ(as_text(store_->get("k").value()), "v");
  caller_->answer(to_value(""));
  EXPECT_EQ(store_->wait_get("w", Deadline::in(1500ms)).value(), Value{});
  caller_->answer(sum(-7));
  EXPECT_EQ(store_->add("n", -7).value(), -7);
  caller_->answer({std::byte{1}});
  EXPECT_TRUE(store_->remove("k").value());
  caller_->answer({std::byte{0}});
  EXPECT_FALSE(store_->remove("k").value());

  const auto& sent = caller_->sent;
  ASSERT_EQ(sent.size(), 6U);
  EXPECT_EQ(sent[0].type, Type::set);
  EXPECT_EQ(wire::decode_set(sent[0].body)->key, "k");
  EXPECT_EQ(as_text(wire::decode_set(sent[0].body)->value), "v");
  EXPECT_EQ(sent[1].type, Type::get);
  EXPECT_EQ(wire::decode_get(sent[1].body)->wait_ms, 0U) << "get does not wait";
  EXPECT_EQ(sent[2].type, Type::get);
  EXPECT_EQ(wire::decode_get(sent[2].body)->key, "w");
  EXPECT_EQ(wire::decode_get(sent[2].body)->wait_ms, 1500U);
  EXPECT_EQ(sent[3].type, Type::add);
  EXPECT_EQ(wire::decode_add(sent[3].body)->delta, -7);
  EXPECT_EQ(sent[4].type, Type::remove);
  EXPECT_EQ(wire::decode_remove(sent[4].body)->key, "k");
}

TEST_F(RemoteStoreTest, KeysOutOfRangeSendNothing) {
  const std::string longest(limits::key_bytes_max, 'k');
  for (const std::string& key : {std::string(), longest + "k"}) {
    for (const Error& error :
         {store_->set(key, {}).error(), store_->get(key).error(), store_->wait_get(key).error(),
          store_->add(key, 1).error(), store_->remove(key).error()}) {
      EXPECT_EQ(error.code, Code::limit);
      EXPECT_EQ(error.phase, Phase::local);
      EXPECT_THAT(error.what, HasSubstr("1 to 1024 bytes"));
      EXPECT_THAT(error.what, HasSubstr("has " + std::to_string(key.size())));
    }
  }
  EXPECT_TRUE(caller_->sent.empty());
  caller_->answer({});
  EXPECT_TRUE(store_->set(longest, {})) << "the store stays usable, and the limit itself is good";
}

TEST_F(RemoteStoreTest, AValueOverTheLimitSendsNothing) {
  const Value over(limits::value_bytes_max + 1);
  const auto refused = store_->set("k", over);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::limit);
  EXPECT_THAT(refused.error().what, HasSubstr("at most 67108864 bytes"));
  EXPECT_THAT(refused.error().what, HasSubstr("67108865"));
  EXPECT_TRUE(caller_->sent.empty());

  caller_->answer({});
  EXPECT_TRUE(store_->set("k", Bytes(over).first(limits::value_bytes_max)));
  EXPECT_EQ(wire::decode_set(caller_->sent[0].body)->value.size(), limits::value_bytes_max);
}

TEST_F(RemoteStoreTest, ABadAnswerIsTheCallersError) {
  caller_->refuse({Code::not_found, "there is no key 'k'", "", {}, 1}, 2ms);
  const auto answer = store_->get("k");
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, Code::not_found);
  EXPECT_EQ(answer.error().what, "there is no key 'k'") << "named already";
  EXPECT_EQ(answer.error().elapsed, 2ms);
  EXPECT_EQ(answer.error().remote, "there");
}

TEST_F(RemoteStoreTest, AnErrorAlwaysNamesTheKey) {
  caller_->refuse({Code::rank_failed, "rank 3 failed", "", {{3, "n7", 1, ""}}, 9});
  const auto failed = store_->add("count", 1);
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().what, "add of key 'count': rank 3 failed");
  EXPECT_EQ(failed.error().exit_code, 9);
  caller_->keep_silent();
  EXPECT_THAT(store_->set("a\nb", {}).error().what, HasSubstr("set of key 'a\\x0ab': no answer"));
}

TEST_F(RemoteStoreTest, AnAnswerThatIsNoneIsAProtocolError) {
  caller_->answer(to_value("?"));
  EXPECT_EQ(store_->set("k", {}).error().code, Code::protocol);
  caller_->answer(to_value("?"));
  EXPECT_EQ(store_->add("k", 1).error().code, Code::protocol);
  caller_->answer({std::byte{2}});
  EXPECT_EQ(store_->remove("k").error().code, Code::protocol);
  caller_->answer({});
  EXPECT_THAT(store_->remove("k").error().what, HasSubstr("'k'"));
}

TEST_F(RemoteStoreTest, OperationsEndAtTheirDeadline) {
  caller_->keep_silent();
  const auto answer = store_->get("k", Deadline::in(300ms));
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, Code::timeout);
  EXPECT_EQ(answer.error().elapsed, 300ms);
  caller_->session_.operation_timeout = 7s;
  caller_->keep_silent();
  EXPECT_EQ(store_->get("k").error().elapsed, 7s) << "the job's time-out by default";
}

TEST_F(RemoteStoreTest, TheServersOwnTimeOutWinsOverTheLocalOne) {
  const Failure told{
      Code::timeout, "nobody set key 'k' within 0.950 s; 1 of 2 ranks joined", "", {}, 1};
  caller_->refuse(told, 1s + 50ms);
  const auto answer = store_->wait_get("k", Deadline::in(1s));
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().what, told.reason);

  caller_->keep_silent();
  const auto silent = store_->wait_get("k", Deadline::in(1s));
  EXPECT_EQ(silent.error().code, Code::timeout);
  EXPECT_EQ(silent.error().elapsed, 1s + limits::verdict_grace);
  EXPECT_THAT(silent.error().what, HasSubstr("'k'"));
}

TEST_F(RemoteStoreTest, ADeadlineThatHasPassedLooksOnce) {
  caller_->tick = 1ns;
  caller_->answer(to_value("v"), 5ms);
  EXPECT_EQ(as_text(store_->get("k", Deadline::in(0s)).value()), "v");
  caller_->answer(to_value("v"), 5ms);
  EXPECT_EQ(as_text(store_->wait_get("k", Deadline::at(caller_->now() - 1h)).value()), "v");
  EXPECT_EQ(wire::decode_get(caller_->sent[1].body)->wait_ms, 0U);

  caller_->refuse({Code::not_found, "there is no key 'k'", "", {}, 1});
  EXPECT_EQ(store_->wait_get("k", Deadline::in(0s)).error().code, Code::timeout)
      << "wait_get has waited as long as it was told to";
  caller_->keep_silent();
  EXPECT_GE(store_->set("k", {}, Deadline::in(0s)).error().elapsed, limits::verdict_grace);
}

TEST_F(RemoteStoreTest, WithoutAnEndItWaitsForEver) {
  caller_->answer(to_value("v"), 1000h);
  EXPECT_TRUE(store_->wait_get("k", Deadline::at(TimePoint::max())));
  EXPECT_EQ(caller_->waited_until, TimePoint::max());
}

TEST_F(RemoteStoreTest, OnALinkThatIsDownTheReasonIsTheLinks) {
  caller_->close(Error{.code = Code::server_lost, .what = "the server is gone"});
  const auto answer = store_->wait_get("k");
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, Code::server_lost);
  EXPECT_THAT(answer.error().what, HasSubstr("the server is gone"));
}

}  // namespace
}  // namespace muster
