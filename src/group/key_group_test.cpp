#include <atomic>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <thread>
#include <vector>

#include <muster/key_group.hpp>

#include "base/limits.hpp"
#include "group/key_rounds.hpp"

namespace muster {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

class KeyGroupTest : public testing::Test {
 protected:
  std::unique_ptr<Group> group(std::uint32_t rank, std::uint32_t size,
                               const KeyGroupOptions& options = {}) {
    return make_key_group(*store_, rank, size, options);
  }
  /// Runs `body` on each of `size` ranks at the same time.
  template <class Body>
  void run(std::uint32_t size, Body&& body) {
    std::vector<std::jthread> ranks;
    for (std::uint32_t rank = 0; rank < size; ++rank) {
      ranks.emplace_back([&, rank] { body(*group(rank, size)); });
    }
  }
  std::vector<std::string> keys() { return store_->list("").value().keys; }
  std::string value(std::string_view key) { return std::string(as_text(store_->get(key).value())); }

  std::unique_ptr<Store> store_ = make_table_store();
};

TEST_F(KeyGroupTest, UsesTheKeysOfTheReference) {
  run(2, [](Group& each) { EXPECT_TRUE(each.barrier()); });
  EXPECT_THAT(keys(), ElementsAre("SHM_(0)_S_0_1_BA", "SHM_(0)_S_0_1_BW"));
  EXPECT_EQ(value("SHM_(0)_S_0_1_BA"), "2");
  EXPECT_EQ(value("SHM_(0)_S_0_1_BW"), "ok");
  const auto alone = group(0, 1, {.version = 7});
  EXPECT_EQ(as_text(alone->allgather(as_bytes("AAAAAAAA")).value()[0]), "AAAAAAAA");
  EXPECT_EQ(value("SHM_(0)_S_7_1_GA"), std::string(4, '\0') + "AAAAAAAA");
  EXPECT_EQ(value("SHM_(0)_S_7_1_GW"), "ok");
}

TEST_F(KeyGroupTest, KeepsTheKeysOfTwoRoundsAndRemovesOlderOnes) {
  run(3, [](Group& each) {
    for (int round = 0; round < 5; ++round) {
      EXPECT_TRUE(each.barrier());
      EXPECT_TRUE(each.allgather(as_bytes("x")));
    }
  });
  EXPECT_THAT(keys(), ElementsAre("SHM_(0)_S_0_4_BA", "SHM_(0)_S_0_4_BW", "SHM_(0)_S_0_4_GA",
                                  "SHM_(0)_S_0_4_GW", "SHM_(0)_S_0_5_BA", "SHM_(0)_S_0_5_BW",
                                  "SHM_(0)_S_0_5_GA", "SHM_(0)_S_0_5_GW"));
}

TEST_F(KeyGroupTest, ABarrierOfOneUsesNoKey) {
  EXPECT_TRUE(group(0, 1)->barrier());
  EXPECT_TRUE(keys().empty());
}

TEST_F(KeyGroupTest, WorksBesideRanksOfTheReference) {
  // What another implementation would do as rank 1 of 2, the last to come.
  std::jthread other([this] {
    EXPECT_TRUE(store_->wait_get("SHM_(0)_S_0_1_BA", Deadline::in(60s)));
    EXPECT_EQ(store_->add("SHM_(0)_S_0_1_BA", 1).value(), 2);
    EXPECT_TRUE(store_->set("SHM_(0)_S_0_1_BW", as_bytes("ok")));
    EXPECT_TRUE(store_->wait_get("SHM_(0)_S_0_1_GA", Deadline::in(60s)));
    EXPECT_EQ(store_->append("SHM_(0)_S_0_1_GA", as_bytes({"\1\0\0\0theirs", 10})).value(), 20U);
    EXPECT_TRUE(store_->set("SHM_(0)_S_0_1_GW", as_bytes("ok")));
  });
  const auto mine = group(0, 2);
  EXPECT_TRUE(mine->barrier("", Deadline::in(60s)));
  const auto parts = mine->allgather(as_bytes("mine!!"), "", Deadline::in(60s));
  ASSERT_TRUE(parts) << parts.error().text();
  EXPECT_EQ(as_text((*parts)[0]), "mine!!");
  EXPECT_EQ(as_text((*parts)[1]), "theirs");
}

TEST_F(KeyGroupTest, ATimeOutTellsHowManyCame) {
  const auto first = group(0, 3);
  const auto barrier = first->barrier("", Deadline::in(100ms));
  ASSERT_FALSE(barrier);
  EXPECT_EQ(barrier.error().code, Code::rank_missing);
  EXPECT_THAT(barrier.error().what, HasSubstr("1 of 3 ranks had come to barrier 1"));
  EXPECT_TRUE(barrier.error().ranks.empty()) << "arrivals are counted, not ranks";
  EXPECT_GE(barrier.error().elapsed, 100ms);

  EXPECT_TRUE(store_->append("SHM_(0)_S_0_1_GA", gathered_item(2, as_bytes("c"))));
  const auto gathered = first->allgather(as_bytes("a"), "", Deadline::in(100ms));
  ASSERT_FALSE(gathered);
  EXPECT_EQ(gathered.error().code, Code::rank_missing);
  EXPECT_THAT(gathered.error().what, HasSubstr("2 of 3 ranks had come to allgather 1"));
  ASSERT_EQ(gathered.error().ranks.size(), 1U);
  EXPECT_EQ(gathered.error().ranks[0].rank, 1U);
}

TEST_F(KeyGroupTest, UnequalSizesAreAMismatchWhereTheyAreSeen) {
  std::atomic<int> mismatches = 0;
  run(2, [&](Group& each) {
    const std::string mine(each.rank() == 0 ? 2 : 6, 'x');
    const auto parts = each.allgather(as_bytes(mine), "", Deadline::in(500ms));
    ASSERT_FALSE(parts);
    if (parts.error().code == Code::mismatch) ++mismatches;
  });
  // 6 + 10 bytes are neither 2 * 6 nor 2 * 10: nobody opens the round.
  EXPECT_EQ(mismatches, 0);
  EXPECT_EQ(gathered_parts(store_->get("SHM_(0)_S_0_1_GA").value(), 2, 2).error().code,
            Code::mismatch);
}

TEST_F(KeyGroupTest, MoreArrivalsThanRanksAreAMismatch) {
  EXPECT_EQ(store_->add("SHM_(0)_S_0_1_BA", 2).value(), 2);
  const auto late = group(0, 2)->barrier();
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, Code::mismatch);
  EXPECT_THAT(late.error().what, AllOf(HasSubstr("arrival 3"), HasSubstr("group of 2")));
}

TEST_F(KeyGroupTest, WhatItCannotIsUnsupportedAndNoRound) {
  const auto two = group(0, 2);
  for (const Error& error : {two->broadcast({}, 0).error(), two->gather({}, 0).error(),
                             two->allgatherv({}).error(), two->exchange("p", {}, {}, {}).error()}) {
    EXPECT_EQ(error.code, Code::unsupported);
    EXPECT_THAT(error.what, HasSubstr("barrier and allgather are all"));
  }
  const std::uint32_t members[] = {0};
  EXPECT_EQ(two->subset(members).error().code, Code::unsupported);
  EXPECT_THAT(two->broadcast({}, 0).error().what, HasSubstr("no broadcast"));
  EXPECT_EQ(two->barrier(std::string(limits::label_bytes_max + 1, 'l')).error().code, Code::limit);
  EXPECT_EQ(two->allgather(Value(limits::value_bytes_max)).error().code, Code::limit)
      << "a rank's number does not fit before it";
  EXPECT_TRUE(keys().empty());
}

TEST_F(KeyGroupTest, ASecondCallAtTheSameTimeIsBusy) {
  const auto two = group(0, 2);
  std::jthread first([&] { EXPECT_TRUE(two->barrier("", Deadline::in(60s))); });
  EXPECT_TRUE(store_->wait_get("SHM_(0)_S_0_1_BA", Deadline::in(60s)));
  EXPECT_EQ(two->barrier().error().code, Code::busy);
  EXPECT_TRUE(group(1, 2)->barrier("", Deadline::in(60s)));
}

TEST(KeyRounds, PartsStandInOrderOfRank) {
  Value all = gathered_item(2, as_bytes("c"));
  for (const auto& [rank, text] : {std::pair{0U, "a"}, std::pair{1U, "b"}}) {
    const Value item = gathered_item(rank, as_bytes(text));
    all.insert(all.end(), item.begin(), item.end());
  }
  const Parts parts = gathered_parts(all, 3, 1).value();
  EXPECT_EQ(parts, (Parts{as_bytes("a"), as_bytes("b"), as_bytes("c")}));
  EXPECT_THAT(missing_ranks(Bytes(all).first(10), 3, 1), ElementsAre(1));
}

TEST(KeyRounds, WhatIsNotOnePartOfEachIsAMismatch) {
  const Value one = gathered_item(0, as_bytes("a"));
  Value twice = one;
  twice.insert(twice.end(), one.begin(), one.end());
  EXPECT_EQ(gathered_parts(twice, 2, 1).error().code, Code::mismatch);
  EXPECT_THAT(gathered_parts(one, 2, 1).error().what, HasSubstr("5 bytes in all"));
  EXPECT_FALSE(gathered_parts(gathered_item(1, as_bytes("a")), 1, 1)) << "no rank 1 among one";
  EXPECT_FALSE(gathered_parts(Bytes(one).first(4), 1, 1));
  EXPECT_TRUE(missing_ranks(Bytes(one).first(3), 2, 1).empty()) << "it can't be told";
  EXPECT_TRUE(gathered_parts({}, 0, 0).value().empty());
}

}  // namespace
}  // namespace muster
