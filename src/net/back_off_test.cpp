#include "net/back_off.hpp"

#include <chrono>
#include <gtest/gtest.h>

namespace muster::net {
namespace {

using namespace std::chrono_literals;

/// The bounds of the n-th wait, while it doubles from 1 ms.
void expect_half_to_whole(Duration wait, Duration whole) {
  EXPECT_GE(wait, whole / 2);
  EXPECT_LE(wait, whole);
}

TEST(BackOff, doubles_from_one_millisecond_with_jitter_of_half_to_whole) {
  SeededRandom random(7);
  BackOff back_off(100'000);
  for (const Duration whole : {1ms, 2ms, 4ms, 8ms, 16ms, 32ms, 64ms, 128ms, 250ms, 250ms}) {
    expect_half_to_whole(back_off.next(random), whole);
  }
}

TEST(BackOff, the_most_grows_with_the_job_between_10_and_250_ms) {
  struct Case {
    std::uint32_t size;
    Duration most;
  };
  for (const auto& [size, most] : {Case{1, 10ms}, Case{500, 10ms}, Case{1'000, 20ms},
                                   Case{12'500, 250ms}, Case{1'000'000, 250ms}}) {
    SeededRandom random(size);
    BackOff back_off(size);
    for (int i = 0; i < 20; ++i) back_off.next(random);
    expect_half_to_whole(back_off.next(random), most);
  }
}

TEST(BackOff, two_of_them_do_not_knock_in_step) {
  SeededRandom one(1);
  SeededRandom two(2);
  BackOff first(1);
  BackOff second(1);
  EXPECT_NE(first.next(one), second.next(two));
}

}  // namespace
}  // namespace muster::net
