#include "net/wait.hpp"

#include <chrono>
#include <gtest/gtest.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

#include "net/fd.hpp"

namespace muster::net {
namespace {

using namespace std::chrono_literals;

TEST(Wait, says_whether_the_descriptor_is_ready) {
  int ends[2];
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
  const Fd here(ends[0]);
  Fd there(ends[1]);
  EXPECT_TRUE(wait_ready(here.get(), POLLOUT, Clock::now()));
  EXPECT_FALSE(wait_ready(here.get(), POLLIN, Clock::now()));
  EXPECT_FALSE(wait_ready(here.get(), POLLIN, Clock::now() - 1h));
  EXPECT_FALSE(wait_ready(here.get(), POLLIN, Clock::now() + 5ms));
  there.reset();
  EXPECT_TRUE(wait_ready(here.get(), POLLIN, TimePoint::max())) << "a hang-up is worth a look";
}

TEST(Wait, signals_do_not_shorten_it) {
  struct sigaction action {};
  struct sigaction before {};
  action.sa_handler = [](int) {};
  ::sigaction(SIGUSR1, &action, &before);
  const pthread_t waiter = ::pthread_self();
  const TimePoint until = Clock::now() + 50ms;
  std::jthread storm([waiter](const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      ::pthread_kill(waiter, SIGUSR1);
      std::this_thread::yield();
    }
  });
  pause_until(until);
  EXPECT_GE(Clock::now(), until);
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const Fd reading(ends[0]);
  const Fd writing(ends[1]);
  const TimePoint deadline = Clock::now() + 50ms;
  EXPECT_FALSE(wait_ready(reading.get(), POLLIN, deadline));
  EXPECT_GE(Clock::now(), deadline);
  storm.request_stop();
  storm.join();
  ::sigaction(SIGUSR1, &before, nullptr);
}

TEST(Fd, owns_moves_and_closes_one_descriptor) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const Fd reading(ends[0]);
  Fd writing(ends[1]);
  Fd moved(std::move(writing));
  EXPECT_FALSE(writing);
  EXPECT_EQ(moved.get(), ends[1]);
  Fd assigned;
  assigned = std::move(moved);
  EXPECT_FALSE(moved);
  assigned.reset();
  EXPECT_TRUE(wait_ready(reading.get(), POLLIN, Clock::now())) << "the other end is closed";
  EXPECT_EQ(assigned.release(), -1);
}

}  // namespace
}  // namespace muster::net
