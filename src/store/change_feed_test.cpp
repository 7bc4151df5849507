#include "store/change_feed.hpp"

#include <atomic>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <thread>
#include <vector>

#include "base/limits.hpp"

namespace muster {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;

class ChangeFeedTest : public testing::Test {
 protected:
  Store::OnChange note_as(std::string name) {
    return [this, name](const Change& change) {
      told.push_back(name + ": " + change.key + (change.value ? "" : " gone"));
    };
  }

  ChangeFeed feed;
  WatchId mine_ = 0;
  std::vector<std::string> told;
};

TEST_F(ChangeFeedTest, TellsInTheOrderOfTheChanges) {
  feed.add("a", note_as("a")).value();
  feed.add("", note_as("all")).value();
  feed.note("a1", as_bytes("v"));
  feed.note("b", Bytes{});
  feed.note("a1", std::nullopt);
  EXPECT_TRUE(told.empty()) << "not before deliver()";
  feed.deliver();
  EXPECT_THAT(told, ElementsAre("a: a1", "all: a1", "all: b", "a: a1 gone", "all: a1 gone"));
}

TEST_F(ChangeFeedTest, WhatAHandlerChangesIsToldWhenItHasReturned) {
  feed.add("first",
           [&](const Change&) {
             feed.note("second", Bytes{});
             feed.deliver();
             told.emplace_back("first handler returns");
           })
      .value();
  feed.add("second", note_as("second")).value();
  feed.note("first", Bytes{});
  feed.deliver();
  EXPECT_THAT(told, ElementsAre("first handler returns", "second: second"));
}

TEST_F(ChangeFeedTest, AWatchThatEndsIsNotToldWhatWaitsForIt) {
  WatchId other = 0;
  const WatchId mine = feed.add("k",
                                [&](const Change&) {
                                  told.emplace_back("told once");
                                  feed.remove(mine_, TimePoint::max()).value();
                                  feed.remove(other, TimePoint::max()).value();
                                })
                           .value();
  mine_ = mine;
  other = feed.add("k", note_as("other")).value();
  feed.note("k", Bytes{});
  feed.note("k", Bytes{});
  feed.deliver();
  EXPECT_THAT(told, ElementsAre("told once"));
  const auto again = feed.remove(mine, TimePoint::max());
  EXPECT_EQ(again.error().code, Code::not_found);
}

TEST_F(ChangeFeedTest, WhoEndsAWatchWaitsForItsHandlerNoLongerThanTold) {
  std::atomic<bool> begun = false;
  std::atomic<bool> go_on = false;
  const WatchId watch = feed.add("",
                                 [&](const Change&) {
                                   begun = true;
                                   begun.notify_all();
                                   go_on.wait(false);
                                 })
                            .value();
  std::jthread changer([&] {
    feed.note("k", Bytes{});
    feed.note("k", Bytes{});
    feed.deliver();
  });
  begun.wait(false);
  const auto late = feed.remove(watch, Clock::now() + 20ms);
  go_on = true;
  go_on.notify_all();
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, Code::timeout);
  EXPECT_THAT(late.error().what, HasSubstr("watch 1 has not returned"));
}

TEST_F(ChangeFeedTest, HasItsLimits) {
  const std::string longest(limits::key_bytes_max, 'p');
  EXPECT_EQ(feed.add(longest + "p", note_as("")).error().code, Code::limit);
  EXPECT_TRUE(feed.add(longest, note_as("")));
  for (std::size_t i = 1; i < limits::watches_a_link_max; ++i) feed.add("", note_as("")).value();
  EXPECT_EQ(feed.add("", note_as("")).error().code, Code::limit);
}

}  // namespace
}  // namespace muster
