// The store plugin by a program that speaks the interface itself, as a SHMEM runtime would.

#include <array>
#include <cstring>
#include <gtest/gtest.h>
#include <string>
#include <thread>
#include <vector>

#include "plugin/invoke.hpp"
#include "plugin/load.hpp"
#include "support/temp_dir.hpp"

namespace muster {
namespace {

using namespace std::chrono_literals;

std::uint64_t soon() {
  return plugin::to_ns(Clock::now() + 30s);
}

class DirectUse : public testing::Test {
 protected:
  muster_plugin_world join(std::uint32_t rank, std::uint32_t size) {
    const muster_plugin_start start{.version = MUSTER_PLUGIN_VERSION,
                                    .size = sizeof(start),
                                    .argument = const_cast<char*>(url_.c_str()),
                                    .unique_id = {nullptr, 0},
                                    .rank = rank,
                                    .ranks = size,
                                    .deadline_ns = soon()};
    muster_plugin_world world{};
    world.version = MUSTER_PLUGIN_VERSION;
    world.size = sizeof(world);
    plugin::ErrorRoom room;
    EXPECT_EQ(table_.init(&start, &world, room.get()), 0) << room.get()->what;
    return world;
  }

  support::TempDir directory_;
  std::string url_ = directory_.unix_url();
  const muster_plugin& table_ = *plugin::load("store").value().table;
};

constexpr std::uint32_t ranks = 3;

TEST_F(DirectUse, TheSimpleCollectives) {
  std::vector<std::jthread> threads;
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    threads.emplace_back([this, rank] {
      const muster_plugin_world world = join(rank, ranks);
      EXPECT_EQ(world.rank, rank);
      EXPECT_EQ(world.ranks, ranks);
      plugin::ErrorRoom room;
      EXPECT_EQ(table_.barrier(world.group, soon(), room.get()), 0) << room.get()->what;

      std::array<std::uint32_t, ranks> all{};
      const std::uint32_t mine = 10 + rank;
      EXPECT_EQ(table_.allgather(world.group, &mine, sizeof(mine), all.data(), soon(), room.get()),
                0);
      EXPECT_EQ(all, (std::array<std::uint32_t, ranks>{10, 11, 12}));

      // To rank r: 100 times this rank, and r.
      std::array<std::uint32_t, ranks> each{};
      for (std::uint32_t to = 0; to < ranks; ++to) each[to] = 100 * rank + to;
      EXPECT_EQ(
          table_.alltoall(world.group, each.data(), sizeof(mine), all.data(), soon(), room.get()),
          0);
      EXPECT_EQ(all, (std::array<std::uint32_t, ranks>{rank, 100 + rank, 200 + rank}));
      EXPECT_EQ(table_.finalize(world.session, soon(), room.get()), 0) << room.get()->what;
    });
  }
}

TEST_F(DirectUse, ARoundOutOfStepIsRefused) {
  const muster_plugin_world world = join(0, 1);
  muster_plugin_call call{};
  call.version = MUSTER_PLUGIN_VERSION;
  call.size = sizeof(call);
  call.kind = MUSTER_PLUGIN_KIND_BARRIER;
  call.deadline_ns = soon();
  const muster_plugin_sink sink{MUSTER_PLUGIN_VERSION, sizeof(sink), nullptr, nullptr};
  plugin::ErrorRoom room;
  call.sequence = 2;
  EXPECT_EQ(table_.exchange(world.group, &call, &sink, room.get()),
            static_cast<int>(Code::protocol));
  EXPECT_STREQ(room.get()->what, "the host counts round 2, expected round 1");
  call.sequence = 1;
  EXPECT_EQ(table_.exchange(world.group, &call, &sink, room.get()), 0);
  EXPECT_EQ(table_.finalize(world.session, soon(), room.get()), 0);
}

TEST_F(DirectUse, AnErrorIsCutToTheHostsRoom) {
  const muster_plugin_start start{.version = MUSTER_PLUGIN_VERSION,
                                  .size = sizeof(start),
                                  .argument = const_cast<char*>("no url at all"),
                                  .unique_id = {nullptr, 0},
                                  .rank = 0,
                                  .ranks = 1,
                                  .deadline_ns = soon()};
  muster_plugin_world world{};
  plugin::ErrorRoom room;
  room.get()->what_bytes = 8;
  EXPECT_EQ(table_.init(&start, &world, room.get()), static_cast<int>(Code::invalid_argument));
  EXPECT_EQ(std::strlen(room.get()->what), 7U);
  unsigned char id[16];
  std::size_t length = sizeof(id);
  EXPECT_EQ(table_.get_unique_id(id, &length, room.get()), static_cast<int>(Code::limit));
}

}  // namespace
}  // namespace muster
