#include "store/remote_store.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

#include "base/limits.hpp"
#include "client/core/scripted_caller.hpp"
#include "wire/cursor.hpp"
#include "wire/many_messages.hpp"
#include "wire/prefix_messages.hpp"
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

template <class Message>
Value encoded(const Message& message) {
  Value body;
  wire::encode(message, body);
  return body;
}

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

TEST_F(RemoteStoreTest, SendsTheRarerRequestsToo) {
  caller_->answer({});
  EXPECT_TRUE(store_->set_owned("o", as_bytes("mine")));
  EXPECT_EQ(caller_->sent.back().type, Type::set_owned);
  EXPECT_EQ(as_text(wire::decode_set(caller_->sent.back().body)->value), "mine");
  caller_->answer(sum(12));
  EXPECT_EQ(store_->append("log", as_bytes("line")).value(), 12U);
  EXPECT_EQ(as_text(wire::decode_append(caller_->sent.back().body)->value), "line");

  caller_->answer(encoded(wire::CompareSetAnswer{true, std::nullopt}));
  const Swap first = store_->compare_set("c", std::nullopt, as_bytes("v")).value();
  EXPECT_TRUE(first.swapped && !first.before);
  EXPECT_FALSE(wire::decode_compare_set(caller_->sent.back().body)->expected);
  caller_->answer(encoded(wire::CompareSetAnswer{false, as_bytes("v")}));
  const Swap second = store_->compare_set("c", Bytes{}, as_bytes("w")).value();
  EXPECT_FALSE(second.swapped);
  EXPECT_EQ(as_text(second.before.value()), "v");
  EXPECT_TRUE(wire::decode_compare_set(caller_->sent.back().body)->expected) << "empty, not absent";
}

TEST_F(RemoteStoreTest, SendsRequestsOfSeveralKeys) {
  const std::vector<std::string_view> keys{"a", "b"};
  caller_->answer({});
  EXPECT_TRUE(store_->wait(keys, Deadline::in(1500ms)));
  EXPECT_EQ(wire::decode_wait(caller_->sent.back().body)->keys, keys);
  EXPECT_EQ(wire::decode_wait(caller_->sent.back().body)->wait_ms, 1500U);
  EXPECT_EQ(caller_->waited_until, caller_->now() + 1500ms + limits::answer_grace);

  caller_->answer(encoded(wire::MultiGetAnswer{{as_bytes("x"), std::nullopt}}));
  const auto values = store_->multi_get(keys).value();
  EXPECT_EQ(as_text(values[0].value()), "x");
  EXPECT_FALSE(values[1]);
  caller_->answer(encoded(wire::MultiGetAnswer{{as_bytes("x")}}));
  EXPECT_EQ(store_->multi_get(keys).error().code, Code::protocol) << "an answer for each key";

  caller_->answer({});
  const std::vector<KeyValue> entries{{"a", as_bytes("1")}, {"b", {}}};
  EXPECT_TRUE(store_->multi_set(entries));
  EXPECT_EQ(wire::decode_multi_set(caller_->sent.back().body)->entries.size(), 2U);

  caller_->answer(encoded(wire::ListAnswer{true, {"p/1", "p/2"}}));
  const KeyPage page = store_->list("p/", "p/0", 2).value();
  EXPECT_EQ(page.keys, (std::vector<std::string>{"p/1", "p/2"}));
  EXPECT_TRUE(page.more);
  EXPECT_EQ(wire::decode_list(caller_->sent.back().body)->after, "p/0");
}

TEST_F(RemoteStoreTest, SeveralKeysHaveTheirLimits) {
  const std::vector<std::string_view> many(limits::keys_a_request_max + 1, "k");
  const std::vector<KeyValue> entries(limits::keys_a_request_max + 1, KeyValue{"k", {}});
  for (const Error& error : {store_->wait(many).error(), store_->multi_get(many).error(),
                             store_->multi_set(entries).error()}) {
    EXPECT_EQ(error.code, Code::limit);
    EXPECT_THAT(error.what, HasSubstr("at most 1024 keys, this one has 1025"));
  }
  const Value half(limits::value_bytes_max / 2);
  const std::vector<KeyValue> heavy{{"a", half}, {"b", half}};
  EXPECT_THAT(store_->multi_set(heavy).error().what, HasSubstr("these have 67108866"));
  EXPECT_EQ(store_->compare_set("k", half, Value(half.size() + 1)).error().code, Code::limit);
  EXPECT_EQ(store_->list(std::string(limits::key_bytes_max + 1, 'p')).error().code, Code::limit);
  EXPECT_TRUE(caller_->sent.empty());
}

TEST_F(RemoteStoreTest, AWatchTellsChangesUntilItEnds) {
  std::vector<std::string> told;
  caller_->answer({});
  const WatchId watch =
      store_
          ->watch("p/",
                  [&](const Change& change) {
                    const Value gone = to_value("gone");
                    told.push_back(change.key + "=" +
                                   std::string(as_text(change.value ? *change.value : gone)));
                  })
          .value();
  const client::OnPush push = caller_->watches.at(watch);
  push(encoded(wire::Changed{"p/a", as_bytes("1")}));
  push(encoded(wire::Changed{"p/a", std::nullopt}));
  EXPECT_EQ(told, (std::vector<std::string>{"p/a=1", "p/a=gone"}));

  caller_->answer({});
  EXPECT_TRUE(store_->unwatch(watch));
  EXPECT_EQ(wire::decode_unwatch(caller_->sent.back().body)->watch, watch);
  EXPECT_TRUE(caller_->watches.empty());
  EXPECT_EQ(store_->unwatch(watch).error().code, Code::not_found);
}

TEST_F(RemoteStoreTest, AWatchThatIsRefusedOrItsStoreGoneIsNone) {
  caller_->refuse({Code::limit, "too many watches", "", {}, 1});
  EXPECT_EQ(store_->watch("p", [](const Change&) {}).error().code, Code::limit);
  EXPECT_TRUE(caller_->watches.empty());
  caller_->answer({});
  EXPECT_TRUE(store_->watch("p", [](const Change&) {}));
  const client::OnPush push = caller_->watches.begin()->second;
  store_.reset();
  EXPECT_TRUE(caller_->watches.empty());
  push(to_value("?"));
  EXPECT_EQ(caller_->down.value().code, Code::protocol) << "what is no change ends the link";
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
  EXPECT_EQ(silent.error().elapsed, 1s + limits::answer_grace);
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
  EXPECT_GE(store_->set("k", {}, Deadline::in(0s)).error().elapsed, limits::answer_grace);
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
