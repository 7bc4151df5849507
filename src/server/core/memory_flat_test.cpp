// What a steady job does costs no memory that grows: rounds, and subsets that come and go.
#include <gtest/gtest.h>
#include <malloc.h>

#include "server/core/core_fixture.hpp"
#include "server/core/groups.hpp"
#include "wire/group_messages.hpp"

namespace muster::server {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr std::uint64_t rounds = 20'000, subsets = 2'000;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
constexpr std::uint64_t rounds = 20'000, subsets = 2'000;
#else
constexpr std::uint64_t rounds = 1'000'000, subsets = 100'000;
#endif
#else
constexpr std::uint64_t rounds = 1'000'000, subsets = 100'000;
#endif

/// Less than a byte for each round or subset.
constexpr std::size_t growth_max = 32U << 10;

std::size_t heap_bytes() {
  return mallinfo2().uordblks + mallinfo2().hblkhd;
}

/// Two ranks and a core, with nothing of the test's own that grows.
class Steady {
 public:
  Steady() : fixture_({}) { fixture_.muster(2); }

  std::size_t items() const { return fixture_.core.open_items(); }

  void barrier(GroupId group, std::uint64_t number) {
    for (std::uint32_t rank = 0; rank < 2; ++rank) {
      say(rank, wire::Type::arrive,
          wire::Arrive{.group = group, .sequence = number, .left_ms = 1000, .parts = {{rank, {}}}});
    }
    EXPECT_EQ(count_of<Send>(fixture_.actions), 2U) << "the last of both ends the round";
  }
  void use_a_subset(GroupId group) {
    for (std::uint32_t rank = 0; rank < 2; ++rank) {
      say(rank, wire::Type::open_group, wire::OpenGroup{group, {1, 0}});
    }
    for (std::uint64_t number = 1; number <= 2; ++number) barrier(group, number);
    for (std::uint32_t rank = 0; rank < 2; ++rank) {
      say(rank, wire::Type::close_group, wire::CloseGroup{group, {rank}});
    }
  }

 private:
  template <class Message>
  void say(std::uint32_t rank, wire::Type type, const Message& message) {
    frame_.clear();
    const std::size_t begun = wire::begin_frame(frame_);
    encode(message, frame_);
    wire::end_frame(frame_, begun, type, ++sequence_);
    fixture_.actions.clear();
    fixture_.now += std::chrono::microseconds{1};
    fixture_.core.step(Received{rank + 1, frame_}, fixture_.now, fixture_.actions);
  }

  CoreFixture fixture_;
  Value frame_;
  std::uint32_t sequence_ = 0;
};

TEST(MemoryFlat, RoundsLeaveNothingBehind) {
  Steady job;
  for (std::uint64_t number = 1; number <= 1000; ++number) job.barrier(0, number);
  const std::size_t items = job.items();
  const std::size_t before = heap_bytes();
  for (std::uint64_t number = 1001; number <= rounds; ++number) job.barrier(0, number);
  EXPECT_EQ(job.items(), items);
  EXPECT_LT(heap_bytes(), before + growth_max);
}

TEST(MemoryFlat, SubsetsLeaveNothingBehind) {
  Steady job;
  for (GroupId id = 1; id <= 100; ++id) job.use_a_subset(id);
  const std::size_t items = job.items();
  const std::size_t before = heap_bytes();
  for (GroupId id = 101; id <= subsets; ++id) job.use_a_subset(id * 0x9E3779B97F4A7C15U);
  EXPECT_EQ(job.items(), items);
  EXPECT_LT(heap_bytes(), before + growth_max);
}

}  // namespace
}  // namespace muster::server
