// What a tunnel makes of ranks that do not come, do not carry, or can't be reached any more.

#include <atomic>
#include <functional>
#include <future>
#include <gmock/gmock.h>
#include <memory>
#include <thread>
#include <vector>

#include "conformance/posted_messages.hpp"
#include "mpi/tunnel.hpp"

namespace muster::conformance {
namespace {

using namespace std::chrono_literals;
using plugins::Carrier;
using plugins::Member;
using testing::Contains;
using testing::Field;
using testing::HasSubstr;

/// Far more than anything here takes.
constexpr Duration patience = 60s;

using Joined = Result<std::unique_ptr<Member>>;

class TunnelFailure : public testing::Test {
 protected:
  /// Runs `body` as each of `ranks` of a job of `size`, each on its thread.
  void run(std::uint32_t size, const std::vector<std::uint32_t>& ranks, Carrier carrier,
           const std::function<void(std::uint32_t, Joined)>& body, Duration join_time = patience) {
    post_ = std::make_shared<PostOffice>(size);
    std::vector<std::jthread> threads;
    for (const std::uint32_t rank : ranks) {
      threads.emplace_back([&, rank] {
        body(rank, plugins::join_tunnel(std::make_unique<PostedMessages>(post_, rank), carrier,
                                        Clock::now() + join_time));
      });
    }
  }

  static Result<Parts> barrier(Member& member, Duration time) {
    Result<Parts> parts = Parts{};
    member.run([&] { parts = member.world().arrive({}, Deadline::in(time)); });
    return parts;
  }

  std::shared_ptr<PostOffice> post_;
};

TEST_F(TunnelFailure, WhoDoesNotJoinIsNamedAndNothingIsLeft) {
  run(
      3, {0, 1}, Carrier::own_thread,
      [](std::uint32_t, Joined joined) {
        ASSERT_FALSE(joined);
        EXPECT_EQ(joined.error().code, Code::rank_missing);
        EXPECT_THAT(joined.error().ranks, Contains(Field(&RankName::rank, 2U)));
      },
      2s);
  EXPECT_EQ(post_->clean + post_->unclean, 2) << "each has closed its messages";
}

TEST_F(TunnelFailure, WithoutRank0TheJoinEndsAtItsDeadline) {
  run(
      2, {1}, Carrier::own_thread,
      [](std::uint32_t, Joined joined) {
        ASSERT_FALSE(joined);
        EXPECT_EQ(joined.error().code, Code::timeout) << joined.error().text();
      },
      200ms);
  EXPECT_EQ(post_->unclean, 1);
}

TEST_F(TunnelFailure, WhereTheCallerCarriesNobodyJudgesWithoutRank0) {
  std::atomic<int> told = 0;
  run(3, {0, 1, 2}, Carrier::caller, [&](std::uint32_t rank, Joined joined) {
    ASSERT_TRUE(joined) << joined.error().text();
    Member& member = **joined;
    EXPECT_EQ(member.capabilities() & (MUSTER_PLUGIN_PROGRESS | MUSTER_PLUGIN_ANY_THREAD), 0U);
    if (rank != 0) {
      const TimePoint begun = Clock::now();
      const auto parts = barrier(member, 200ms);
      EXPECT_EQ(parts.error().code, Code::server_lost) << "no verdict came";
      EXPECT_LT(Clock::now() - begun, patience / 2) << "but the call ended";
      ++told;
    } else {
      while (told < 2) std::this_thread::yield();
      EXPECT_EQ(barrier(member, patience).error().code, Code::rank_lost) << "nobody passes";
    }
    static_cast<void>(member.leave(Clock::now() + 300ms));
  });
}

TEST_F(TunnelFailure, WhereTheCallerCarriesAllHearTheVerdictBeforeRank0GoesElsewhere) {
  std::atomic<int> passed = 0;
  run(3, {0, 1, 2}, Carrier::caller, [&](std::uint32_t rank, Joined joined) {
    ASSERT_TRUE(joined) << joined.error().text();
    EXPECT_TRUE(barrier(**joined, patience));
    ++passed;
    while (rank == 0 && passed < 3) std::this_thread::yield();  // in no call
    EXPECT_TRUE((*joined)->leave(Clock::now() + patience));
  });
  EXPECT_EQ(post_->clean, 3);
}

TEST_F(TunnelFailure, WhenMessagesFailEveryCallEnds) {
  std::atomic<int> in = 0;
  run(3, {0, 1, 2}, Carrier::own_thread, [&](std::uint32_t rank, Joined joined) {
    ASSERT_TRUE(joined) << joined.error().text();
    Member& member = **joined;
    if (++in == 3) post_->burnt = true;
    const auto parts = barrier(member, patience);
    // All three can be in the round before its verdict is lost.
    if (!parts) {
      EXPECT_EQ(parts.error().code, rank == 0 ? Code::rank_lost : Code::server_lost);
    }
    EXPECT_FALSE(barrier(member, patience));
    static_cast<void>(member.leave(Clock::now() + 100ms));
  });
  EXPECT_EQ(post_->unclean, 3) << "nobody may wait for messages that do not come";
}

TEST_F(TunnelFailure, WhoDoesNotLeaveIsNamed) {
  std::promise<void> others_left;
  auto left = others_left.get_future().share();
  std::atomic<int> count = 0;
  run(3, {0, 1, 2}, Carrier::own_thread, [&](std::uint32_t rank, Joined joined) {
    ASSERT_TRUE(joined) << joined.error().text();
    if (rank == 2) {
      left.wait();
      static_cast<void>((*joined)->leave(Clock::now() + 100ms));
      return;
    }
    const auto ended = (*joined)->leave(Clock::now() + 300ms);
    // Once rank 0 has gone nobody is left to wait for.
    EXPECT_TRUE(rank == 1 || !ended);
    if (!ended) {
      EXPECT_EQ(ended.error().code, Code::rank_missing) << ended.error().text();
      EXPECT_THAT(ended.error().ranks, Contains(Field(&RankName::rank, 2U)));
    }
    if (++count == 2) others_left.set_value();
  });
}

}  // namespace
}  // namespace muster::conformance
