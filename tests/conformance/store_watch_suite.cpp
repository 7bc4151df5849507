#include <atomic>
#include <condition_variable>
#include <gmock/gmock.h>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "conformance/store_suite.hpp"

namespace muster::conformance {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;

/// Resource. What a watch was told, as "key=value", or "key gone". Its handler may outlive it: a
/// watch that a test does not end goes on until its store is gone.
class Told {
 public:
  Store::OnChange handler() {
    return [heard = heard_](const Change& change) {
      const std::string value = change.value ? "=" + std::string(as_text(*change.value)) : " gone";
      const std::lock_guard lock(heard->mutex);
      heard->list.push_back(change.key + value);
      heard->more.notify_all();
    };
  }
  /// All up to the first `last`; changes come in order, so nothing before it is still to come.
  std::vector<std::string> until(const std::string& last) {
    std::unique_lock lock(heard_->mutex);
    const std::vector<std::string>& list = heard_->list;
    const auto told = [&] { return std::ranges::find(list, last) != list.end(); };
    EXPECT_TRUE(heard_->more.wait_for(lock, 60s, told)) << last;
    return {list.begin(), std::ranges::find(list, last)};
  }
  std::size_t count() {
    const std::lock_guard lock(heard_->mutex);
    return heard_->list.size();
  }

 private:
  struct Heard {
    std::mutex mutex;
    std::condition_variable more;
    std::vector<std::string> list;
  };
  std::shared_ptr<Heard> heard_ = std::make_shared<Heard>();
};

}  // namespace

TEST_P(StoreSuite, AWatchIsToldEachChangeOnceInOrder) {
  if (lacks_watch()) return;
  set("a/before", "v");
  Told told;
  store_->watch("a/", told.handler()).value();
  const auto other = service_->connect();
  set(*other, "a/k", "one");
  EXPECT_EQ(other->add("a/n", 5).value(), 5);
  EXPECT_TRUE(other->append("a/k", as_bytes("-two")));
  EXPECT_TRUE(other->compare_set("a/k", as_bytes("one-two"), {}).value().swapped);
  EXPECT_FALSE(other->compare_set("a/k", as_bytes("x"), as_bytes("y")).value().swapped);
  EXPECT_FALSE(other->add("a/k", 1)) << "what fails is no change";
  EXPECT_TRUE(other->remove("a/k").value());
  EXPECT_FALSE(other->remove("a/k").value());
  set(*other, "a", "not behind it");
  set(*other, "b/k", "elsewhere");
  set(*other, "a/end", "");
  EXPECT_THAT(told.until("a/end="),
              ElementsAre("a/k=one", "a/n=5", "a/k=one-two", "a/k=", "a/k gone"));
}

TEST_P(StoreSuite, AWatchIsToldWhatASetOfSeveralChanged) {
  if (lacks_watch() || lacks_many()) return;
  Told told;
  store_->watch("a/", told.handler()).value();
  EXPECT_TRUE(store_->multi_set(std::vector<KeyValue>{{"a/x", as_bytes("1")},
                                                      {"b/x", as_bytes("2")},
                                                      {"a/y", as_bytes("3")},
                                                      {"a/x", as_bytes("4")}}));
  set("a/end", "");
  EXPECT_THAT(told.until("a/end="), testing::UnorderedElementsAre("a/x=4", "a/y=3"));
}

TEST_P(StoreSuite, WatchesThatOverlapAreEachTold) {
  if (lacks_watch()) return;
  Told all;
  Told some;
  Told again;
  store_->watch("", all.handler()).value();
  store_->watch("k/", some.handler()).value();
  store_->watch("k/", again.handler()).value();
  const auto other = service_->connect();
  Told others;
  other->watch("k/1", others.handler()).value();
  set("k/1", "v");
  set("l", "v");
  set("k/1end", "");
  EXPECT_THAT(all.until("k/1end="), ElementsAre("k/1=v", "l=v"));
  EXPECT_THAT(some.until("k/1end="), ElementsAre("k/1=v"));
  EXPECT_THAT(again.until("k/1end="), ElementsAre("k/1=v"));
  EXPECT_THAT(others.until("k/1end="), ElementsAre("k/1=v"));
}

TEST_P(StoreSuite, UnwatchEndsAWatchAndNoOther) {
  if (lacks_watch()) return;
  Told ended;
  Told going_on;
  const WatchId watch = store_->watch("k", ended.handler()).value();
  store_->watch("k", going_on.handler()).value();
  EXPECT_TRUE(store_->unwatch(watch));
  set("k", "v");
  set("k/end", "");
  EXPECT_THAT(going_on.until("k/end="), ElementsAre("k=v"));
  EXPECT_EQ(ended.count(), 0U);
  const auto unknown = store_->unwatch(watch);
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().code, Code::not_found);
  EXPECT_THAT(unknown.error().what, HasSubstr("watch " + std::to_string(watch)));
  EXPECT_EQ(code_of(store_->unwatch(watch + 100'000)), Code::not_found);
}

TEST_P(StoreSuite, UnwatchWaitsForItsHandler) {
  if (lacks_watch()) return;
  std::atomic<bool> begun = false;
  std::atomic<bool> go_on = false;
  std::atomic<bool> returned = false;
  const WatchId watch = store_
                            ->watch("k",
                                    [&](const Change&) {
                                      begun = true;
                                      begun.notify_all();
                                      go_on.wait(false);
                                      returned = true;
                                    })
                            .value();
  const auto other = service_->connect();
  std::jthread setter([&] { set(*other, "k", "v"); });
  std::jthread reader([&] { EXPECT_TRUE(store_->wait_get("k", Deadline::in(60s))); });
  begun.wait(false);
  std::jthread ender([&] {
    EXPECT_TRUE(store_->unwatch(watch, Deadline::in(60s)));
    EXPECT_TRUE(returned);
  });
  go_on = true;
  go_on.notify_all();
}

TEST_P(StoreSuite, AHandlerMayUseTheStore) {
  if (lacks_watch()) return;
  std::atomic<WatchId> mine = 0;
  std::atomic<int> calls = 0;
  mine = store_
             ->watch("k",
                     [&](const Change& change) {
                       ++calls;
                       EXPECT_TRUE(store_->set("copy of " + change.key, *change.value));
                       EXPECT_EQ(as_text(store_->get(change.key).value()), "v");
                       EXPECT_TRUE(store_->unwatch(mine)) << "also itself";
                     })
             .value();
  set("k", "v");
  EXPECT_EQ(as_text(store_->wait_get("copy of k", Deadline::in(60s)).value()), "v");
  set("k", "again");
  Told fence;
  store_->watch("end", fence.handler()).value();
  set("end", "");
  fence.until("end=");
  EXPECT_EQ(calls, 1);
}

TEST_P(StoreSuite, ChangesOfManyThreadsAreToldInOneOrder) {
  if (lacks_watch()) return;
  Told mine;
  Told others;
  store_->watch("n", mine.handler()).value();
  const auto other = service_->connect();
  other->watch("n", others.handler()).value();
  {
    Threads workers;
    for (int worker = 0; worker < 4; ++worker) {
      workers.emplace_back([&, worker] {
        Store& store = worker % 2 == 0 ? *store_ : *other;
        for (int i = 0; i < 100; ++i) ASSERT_TRUE(store.add("n", 1));
      });
    }
  }
  std::vector<std::string> expected;
  for (int i = 1; i < 400; ++i) expected.push_back("n=" + std::to_string(i));
  EXPECT_EQ(mine.until("n=400"), expected);
  EXPECT_EQ(others.until("n=400"), expected);
}

TEST_P(StoreSuite, AWatchThenAListMissNothing) {
  if (lacks_watch() || lacks_list()) return;
  const auto other = service_->connect();
  std::jthread setter([&] {
    for (int i = 0; i < 200; ++i) ASSERT_TRUE(other->set("k/" + std::to_string(i), {}));
    ASSERT_TRUE(other->set("k/end", {}));
  });
  Told told;
  store_->watch("k/", told.handler()).value();
  std::vector<std::string> seen = store_->list("k/").value().keys;
  if (std::ranges::find(seen, "k/end") == seen.end()) {
    for (const std::string& each : told.until("k/end="))
      seen.push_back(each.substr(0, each.size() - 1));
    seen.emplace_back("k/end");
  }
  std::ranges::sort(seen);
  seen.erase(std::unique(seen.begin(), seen.end()), seen.end());
  EXPECT_EQ(seen.size(), 201U);
}

TEST_P(StoreSuite, AChangeCarriesALargeValue) {
  if (lacks_watch()) return;
  Told told;
  store_->watch("", told.handler()).value();
  const std::string large(1U << 20, 'x');
  set("k", large);
  set("end", "");
  EXPECT_THAT(told.until("end="), ElementsAre("k=" + large));
}

TEST_P(StoreSuite, WatchesHaveLimits) {
  if (lacks_watch()) return;
  const std::string longest(traits().key_bytes_max, 'p');
  Told told;
  EXPECT_TRUE(store_->watch(longest, told.handler()));
  EXPECT_EQ(code_of(store_->watch(longest + "p", told.handler())), Code::limit);
  for (std::size_t i = 1; i < limits::watches_a_link_max; ++i) {
    ASSERT_TRUE(store_->watch("", told.handler()));
  }
  const auto over = store_->watch("", told.handler());
  ASSERT_FALSE(over);
  EXPECT_EQ(over.error().code, Code::limit);
  EXPECT_THAT(over.error().what, HasSubstr("1024 watches"));
}

}  // namespace muster::conformance
