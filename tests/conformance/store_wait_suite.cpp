#include <atomic>
#include <gmock/gmock.h>
#include <string>
#include <thread>
#include <vector>

#include "conformance/store_suite.hpp"

namespace muster::conformance {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;

}  // namespace

TEST_P(StoreSuite, WaitGetOfWhatIsThere) {
  EXPECT_TRUE(store_->set("k", as_bytes("v")));
  EXPECT_EQ(as_text(store_->wait_get("k").value()), "v");
  EXPECT_EQ(as_text(store_->wait_get("k", Deadline::in(0s)).value()), "v");
}

TEST_P(StoreSuite, SetAndAddWakeAllWhoWait) {
  const auto other = service_->connect();
  std::atomic<int> woken = 0;
  {
    Threads waiters;
    for (Store* store : {store_.get(), store_.get(), other.get()}) {
      waiters.emplace_back([&, store] {
        if (as_text(store->wait_get("set", Deadline::in(60s)).value()) == "v") ++woken;
      });
      waiters.emplace_back([&, store] {
        if (as_text(store->wait_get("added", Deadline::in(60s)).value()) == "7") ++woken;
      });
    }
    EXPECT_TRUE(store_->set("another", as_bytes("x")));
    EXPECT_TRUE(store_->set("set", as_bytes("v")));
    EXPECT_EQ(store_->add("added", 7).value(), 7);
  }
  EXPECT_EQ(woken, 6);
}

TEST_P(StoreSuite, AWaitThatTimesOutNamesTheKeyTheTimeAndWhoIsThere) {
  const TimePoint begun = Clock::now();
  const auto answer = store_->wait_get("addr/3", Deadline::in(300ms));
  const Duration waited = Clock::now() - begun;
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, Code::timeout);
  EXPECT_EQ(answer.error().phase, Phase::operation);
  EXPECT_THAT(answer.error().what, AllOf(HasSubstr("addr/3'"), ContainsRegex("[0-9]+\\.[0-9]+ s")));
  if (traits().names_ranks) {
    EXPECT_THAT(answer.error().what, HasSubstr("0 of 2 ranks"));
  }
  EXPECT_GE(waited, 200ms);
  EXPECT_LT(waited, 60s);
  EXPECT_GE(answer.error().elapsed, 200ms);
}

TEST_P(StoreSuite, ADeadlineThatHasPassedLooksOnce) {
  const auto answer = store_->wait_get("k", Deadline::in(-1s));
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, Code::timeout);
  EXPECT_THAT(answer.error().what, HasSubstr("k'"));
  EXPECT_TRUE(store_->set("k", as_bytes("v"), Deadline::in(0s)));
  EXPECT_EQ(as_text(store_->get("k", Deadline::in(0s)).value()), "v");
}

TEST_P(StoreSuite, AWaitAfterItsTimeOutTakesNothingAway) {
  EXPECT_FALSE(store_->wait_get("k", Deadline::in(50ms)));
  EXPECT_TRUE(store_->set("k", as_bytes("v")));
  EXPECT_EQ(as_text(store_->wait_get("k").value()), "v");
}

TEST_P(StoreSuite, OneInALongWaitDoesNotStopTheOthersOnItsHandle) {
  std::string seen;
  std::jthread waiter(
      [&] { seen = as_text(store_->wait_get("last", Deadline::in(300s)).value()); });
  {
    Threads workers;
    for (int worker = 0; worker < 4; ++worker) {
      workers.emplace_back([&, worker] {
        for (int i = 0; i < 200; ++i) {
          const std::string key = "k" + std::to_string(worker);
          ASSERT_TRUE(store_->set(key, as_bytes(std::to_string(i))));
          ASSERT_EQ(as_text(store_->get(key).value()), std::to_string(i));
          ASSERT_TRUE(store_->add("sum", 1));
        }
      });
    }
  }
  EXPECT_EQ(as_text(store_->get("sum").value()), "800");
  EXPECT_TRUE(store_->set("last", as_bytes("now")));
  waiter.join();
  EXPECT_EQ(seen, "now");
}

TEST_P(StoreSuite, ThreadsPassATurnAround) {
  constexpr int threads = 4;
  constexpr int turns = 50;
  {
    Threads players;
    for (int player = 0; player < threads; ++player) {
      players.emplace_back([&, player] {
        for (int turn = player; turn < threads * turns; turn += threads) {
          const auto mine = store_->wait_get("turn/" + std::to_string(turn), Deadline::in(60s));
          ASSERT_TRUE(mine) << mine.error().text();
          ASSERT_TRUE(store_->set("turn/" + std::to_string(turn + 1), {}));
        }
      });
    }
    EXPECT_TRUE(store_->set("turn/0", {}));
  }
  EXPECT_TRUE(store_->get("turn/" + std::to_string(threads * turns)));
}

TEST_P(StoreSuite, AWaitEndsWhenAllItsKeysAreThere) {
  if (lacks_many()) return;
  const std::string_view keys[] = {"a", "b", "a"};
  std::atomic<bool> woken = false;
  std::jthread waiter([&] {
    const auto done = store_->wait(keys, Deadline::in(60s));
    EXPECT_TRUE(done) << done.error().text();
    woken = true;
  });
  const auto other = service_->connect();
  EXPECT_TRUE(other->set("b", {}));
  EXPECT_TRUE(other->remove("b").value());
  EXPECT_EQ(other->add("a", 1).value(), 1);
  if (traits().one_moment) {
    EXPECT_FALSE(woken) << "they were not there at one moment";
  }
  EXPECT_EQ(other->append("b", {}).value(), 0U);
  waiter.join();
  EXPECT_TRUE(woken);
  EXPECT_TRUE(store_->wait(keys, Deadline::in(0s)));
  EXPECT_TRUE(store_->wait({}, Deadline::in(0s))) << "for nothing there is nothing to wait";
}

TEST_P(StoreSuite, AWaitForManyThatTimesOutNamesThoseThatAreMissing) {
  if (lacks_many()) return;
  set("there", "v");
  const std::string_view keys[] = {"addr/1", "there", "addr/0"};
  for (const Duration patience : {Duration{300ms}, Duration{0}}) {
    const auto answer = store_->wait(keys, Deadline::in(patience));
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().code, Code::timeout);
    EXPECT_THAT(answer.error().what, AllOf(HasSubstr("addr/0'"), HasSubstr("addr/1'"),
                                           testing::Not(HasSubstr("there'"))));
    if (traits().names_ranks) {
      EXPECT_THAT(answer.error().what, HasSubstr("0 of 2 ranks"));
    }
  }
}

TEST_P(StoreSuite, AWaitTakesSoManyKeysAndNoMore) {
  if (lacks_many()) return;
  std::vector<std::string_view> keys(limits::keys_a_request_max, "k");
  set("k", "v");
  EXPECT_TRUE(store_->wait(keys));
  EXPECT_EQ(store_->multi_get(keys).value().size(), keys.size());
  keys.push_back("k");
  EXPECT_EQ(code_of(store_->wait(keys)), Code::limit);
  const auto answer = store_->multi_get(keys);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, Code::limit);
  EXPECT_THAT(answer.error().what, AllOf(HasSubstr("1024"), HasSubstr("1025")));
}

}  // namespace muster::conformance
