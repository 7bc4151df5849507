// The world and a subset at the same time, from two threads of a rank, over its one link.
#include <array>
#include <atomic>
#include <gtest/gtest.h>
#include <memory>
#include <thread>
#include <vector>

#include "conformance/served_job.hpp"
#include "group/server_group.hpp"
#include "wire/status_messages.hpp"

namespace muster::conformance {
namespace {

using namespace std::chrono_literals;

constexpr int rounds = 20;

/// Three ranks; 2 and 1, in this order, have a subset.
class WorldAndSubset : public testing::TestWithParam<Transport> {
 protected:
  WorldAndSubset() {
    for (std::uint32_t rank = 0; rank < 3; ++rank) {
      worlds_.at(rank) = make_world_group(job_.link_rank(rank));
    }
    for (const std::uint32_t rank : {1, 2}) {
      subsets_.at(rank) = worlds_.at(rank)->subset(std::array{2U, 1U}).value();
    }
  }

  Group& world(std::uint32_t rank) { return *worlds_.at(rank); }
  Group& subset(std::uint32_t rank) { return *subsets_.at(rank); }

  /// A thread that waits in a barrier of `group`, which has ended once `ended` counts it.
  std::jthread waits_in(Group& group, std::atomic<int>& ended) {
    return std::jthread([&] {
      const auto done = group.barrier("long", Deadline::in(60s));
      EXPECT_TRUE(done) << done.error().text();
      ++ended;
    });
  }

  /// Returns once `count` ranks are in the open round of the world, or of the subset.
  void until_waiting(std::uint32_t count, bool in_world) {
    const TimePoint give_up = Clock::now() + 60s;
    while (Clock::now() < give_up) {
      const auto answer =
          client::call(*tool_, client::frame(wire::Type::status, wire::StatusRequest{}), give_up);
      ASSERT_TRUE(answer) << answer.error().text();
      const auto status = wire::decode_status(*answer);
      ASSERT_TRUE(status);
      for (const OpenRound& round : status->rounds) {
        if ((round.group == 0) == in_world && round.arrived == count) return;
      }
    }
    FAIL() << count << " ranks never came";
  }

  /// Many rounds of `group`, as one rank of it.
  static void work(Group& group) {
    const auto own = static_cast<std::byte>(group.rank_in_job(group.rank()));
    for (int i = 0; i < rounds; ++i) {
      const auto all = group.allgather(std::array{own}, "work", Deadline::in(60s));
      ASSERT_TRUE(all) << all.error().text();
      ASSERT_EQ(all->size(), group.size());
      for (std::uint32_t rank = 0; rank < group.size(); ++rank) {
        EXPECT_EQ((*all)[rank].front(), static_cast<std::byte>(group.rank_in_job(rank)));
      }
    }
  }

 private:
  ServedJob job_{GetParam(), 3};
  std::shared_ptr<client::Caller> tool_ = job_.link_tool();
  std::array<std::unique_ptr<Group>, 3> worlds_;
  std::array<std::unique_ptr<Group>, 3> subsets_;
};

TEST_P(WorldAndSubset, TheSubsetWorksWhileTheWorldWaits) {
  std::atomic<int> ended = 0;
  const std::jthread waiting_1 = waits_in(world(1), ended);
  const std::jthread waiting_2 = waits_in(world(2), ended);
  until_waiting(2, true);
  {
    const std::jthread other([&] { work(subset(2)); });
    work(subset(1));
  }
  EXPECT_EQ(ended, 0) << "rank 0 has not come";
  EXPECT_TRUE(world(0).barrier("long"));
}

TEST_P(WorldAndSubset, TheWorldWorksWhileTheSubsetWaits) {
  std::atomic<int> ended = 0;
  const std::jthread waiting = waits_in(subset(1), ended);
  until_waiting(1, false);
  {
    const std::jthread rank_1([&] { work(world(1)); });
    const std::jthread rank_2([&] { work(world(2)); });
    work(world(0));
  }
  EXPECT_EQ(ended, 0) << "rank 2 has not come";
  EXPECT_TRUE(subset(2).barrier("long"));
}

/// Neither waits for the other's rounds, and none is mixed up.
TEST_P(WorldAndSubset, BothWorkAtOnce) {
  std::vector<std::jthread> threads;
  for (std::uint32_t rank = 0; rank < 3; ++rank) {
    threads.emplace_back([&, rank] { work(world(rank)); });
    if (rank != 0) threads.emplace_back([&, rank] { work(subset(rank)); });
  }
}

INSTANTIATE_TEST_SUITE_P(Served, WorldAndSubset,
                         testing::Values(Transport::tcp, Transport::unix_socket),
                         [](const auto& transport) {
                           return transport.param == Transport::tcp ? "Tcp" : "Unix";
                         });

}  // namespace
}  // namespace muster::conformance
