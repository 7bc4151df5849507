// Field reports 28 and 29: signals and threads while something waits.

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <gmock/gmock.h>
#include <signal.h>
#include <string>
#include <sys/time.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "net/wait.hpp"
#include "rank_process.hpp"
#include "support/ports.hpp"
#include "support/temp_dir.hpp"

namespace muster::process_test {
namespace {

using namespace std::chrono_literals;
using support::TempDir;

std::atomic<int> interruptions = 0;

/// From now on SIGALRM comes every millisecond, and no interrupted call goes on by itself. Tells
/// when a hundred of them have come, wherever the process was then.
void start_storm() {
  struct sigaction action {};
  action.sa_handler = [](int) {
    if (++interruptions != 100) return;
    const int error = errno;
    static_cast<void>(!::write(STDOUT_FILENO, "the storm has passed\n", 21));
    errno = error;
  };
  ::sigaction(SIGALRM, &action, nullptr);
  const timeval millisecond{.tv_sec = 0, .tv_usec = 1000};
  const itimerval timer{.it_interval = millisecond, .it_value = millisecond};
  ::setitimer(ITIMER_REAL, &timer, nullptr);
}

bool storm_has_passed() {
  return interruptions >= 100;
}

TEST(Signals, a_storm_of_them_interrupts_nothing) {
  const TempDir dir;
  Ranks ranks(3, [&](std::uint32_t rank) {
    start_storm();
    return join_and(rank_of(dir.unix_url(), rank, 3), [&](Job& job) {
      for (int i = 0;; ++i) {
        if (rank == 0 && i % 20 == 0) {
          const std::string noticed = std::to_string(i);
          if (!job.store().set("go/" + noticed, as_bytes(noticed))) return 1;
        }
        const std::string last = std::to_string(i - i % 20);
        const Result<Value> value = job.store().wait_get("go/" + last);
        if (!value) return tell_error(value.error());
        if (as_text(*value) != last) return 2;
        // Nobody goes on alone: whether it has passed is one decision of all.
        const auto parts = job.world().allgather(as_bytes(storm_has_passed() ? "y" : "n"), "storm");
        if (!parts) return tell_error(parts.error());
        const bool all = std::all_of(parts->begin(), parts->end(),
                                     [](Bytes part) { return as_text(part) == "y"; });
        if (all && i >= 20) return 0;
      }
    });
  });
  for (const Ended& one : ranks.wait()) EXPECT_TRUE(ended_well(one));
}

TEST(Signals, a_storm_does_not_break_a_long_wait) {
  const TempDir dir;
  Ranks ranks(2, [&](std::uint32_t rank) {
    return join_and(rank_of(dir.unix_url(), rank, 2), [&](Job& job) {
      if (rank == 1) {
        support::hear();
        if (!job.store().set("late", as_bytes("value"))) return 1;
        return outcome(job.world().barrier());
      }
      start_storm();
      const Result<Value> value = job.store().wait_get("late");
      if (!value) return tell_error(value.error());
      return outcome(job.world().barrier());
    });
  });
  ASSERT_TRUE(ranks[1].wait_for_out("joined"));
  ASSERT_TRUE(ranks[0].wait_for_out("the storm has passed"));
  ranks[1].say("go on");
  for (const Ended& one : ranks.wait()) EXPECT_TRUE(ended_well(one));
}

TEST(Signals, a_deadline_holds_in_a_storm) {
  const TempDir dir;
  Process rank = Process::fork([&] {
    start_storm();
    return join_and(rank_of(dir.unix_url(), 0, 1), [](Job& job) {
      const TimePoint begun = Clock::now();
      const Result<Value> value = job.store().wait_get("never", Deadline::in(300ms));
      if (value || value.error().code != Code::timeout) return 1;
      const Duration took = Clock::now() - begun;
      return took >= 200ms && took < 10s ? 0 : 2;
    });
  });
  EXPECT_TRUE(ended_well(rank));
}

/// A verdict is the same for all, also for a rank that slept over its own deadline.
TEST(Signals, what_arrived_while_a_process_was_stopped_counts) {
  const TempDir dir;
  const support::Port port = support::closed_port();
  for (const std::string& url : {dir.unix_url(), port.url}) {
    Ranks ranks(2, [&](std::uint32_t rank) {
      return join_and(rank_of(url, rank, 2), [&](Job& job) {
        if (rank == 1) {
          const auto done = job.world().barrier("both", Deadline::in(3s));
          support::tell("it is awake");
          return outcome(done);
        }
        while (job.status().value().rows[1].waiting_in.empty())
          net::pause_until(Clock::now() + 1ms);
        support::tell("it waits");
        support::hear();
        const auto done = job.world().barrier("both");
        support::tell("it is over");
        support::hear();  // the server must not go before the other one is awake
        return outcome(done);
      });
    });
    ASSERT_TRUE(ranks[0].wait_for_out("it waits"));
    ranks[1].stop();
    ranks[0].say("go");
    ASSERT_TRUE(ranks[0].wait_for_out("it is over"));
    net::pause_until(Clock::now() + 3500ms);  // past the deadline of the one that is stopped
    ranks[1].send_signal(SIGCONT);
    EXPECT_TRUE(ranks[1].wait_for_out("it is awake"));
    ranks[0].say("go");
    EXPECT_TRUE(ended_well(ranks[1])) << url;
    EXPECT_TRUE(ended_well(ranks[0])) << url;
  }
}

TEST(Signals, a_program_without_standard_descriptors_may_serve_and_leave) {
  const TempDir dir;
  const support::Port port = support::closed_port();
  for (const std::string& url : {dir.unix_url(), port.url}) {
    Process closed = Process::fork([&] {
      for (int fd = 0; fd <= 2; ++fd) ::close(fd);
      return join_and_leave(rank_of(url, 0, 1));
    });
    EXPECT_TRUE(ended_well(closed)) << url;
  }
}

TEST(Signals, a_dead_server_is_an_error_and_no_sigpipe) {
  const TempDir dir;
  Ranks ranks(2, [&](std::uint32_t rank) {
    return join_and(rank_of(dir.unix_url(), rank, 2), [&](Job& job) {
      support::hear();
      for (int i = 0; i < 100; ++i) {
        const Result<void> set = job.store().set("key", as_bytes("value"));
        if (set || set.error().code != Code::server_lost) return 1;
      }
      return 0;
    });
  });
  ASSERT_TRUE(ranks.wait_for_out("joined"));
  ranks[0].send_signal(SIGKILL);
  ranks[0].wait();
  ranks[1].say("go on");
  const Ended ended = ranks[1].wait();
  EXPECT_TRUE(ended_well(ended));
}

TEST(Signals, dead_ranks_do_not_kill_the_server) {
  const TempDir dir;
  Ranks ranks(4, [&](std::uint32_t rank) {
    return join_and(rank_of(dir.unix_url(), rank, 4), [&](Job& job) {
      support::hear();
      if (rank != 0) return outcome(job.world().barrier());
      // A link is read once a turn: behind the arrival of a rank that was killed comes its end.
      return see(job, [](const JobStatus& status) { return status.joined == 1; });
    });
  });
  ASSERT_TRUE(ranks.wait_for_out("joined"));
  for (const std::uint32_t rank : {1U, 2U, 3U}) ranks[rank].send_signal(SIGKILL);
  for (const std::uint32_t rank : {1U, 2U, 3U}) ranks[rank].wait();
  ranks[0].say("go on");
  const Ended ended = ranks[0].wait();
  EXPECT_EQ(ended.signal, 0) << ended;
  EXPECT_TRUE(ended.well()) << "the roster works while the job has failed: " << ended;
}

TEST(Signals, an_interrupt_ends_a_process_that_waits) {
  const TempDir dir;
  Ranks ranks(2, [&](std::uint32_t rank) {
    return join_and(rank_of(dir.unix_url(), rank, 2), [&](Job& job) {
      if (rank == 0) support::hear();
      return outcome(job.world().barrier());
    });
  });
  ASSERT_TRUE(ranks.wait_for_out("joined"));
  ranks[1].send_signal(SIGINT);
  EXPECT_EQ(ranks[1].wait().signal, SIGINT);
}

TEST(Signals, an_interrupt_ends_a_process_that_joins) {
  const TempDir dir;
  Process rank = Process::fork([&] { return join_and_leave(rank_of(dir.unix_url(), 1, 2)); });
  EXPECT_FALSE(rank.wait_for_out("ERROR", 100ms));
  rank.send_signal(SIGINT);
  EXPECT_EQ(rank.wait().signal, SIGINT);
}

TEST(Threads, one_long_wait_does_not_stop_the_others_on_the_same_handle) {
  const TempDir dir;
  Process rank = Process::fork([&] {
    return join_and(rank_of(dir.unix_url(), 0, 1), [](Job& job) {
      std::vector<int> status(4, -1);
      std::jthread waiter([&] { status[0] = outcome(job.store().wait_get("at the end")); });
      {
        std::vector<std::jthread> workers;
        for (std::size_t i = 1; i < status.size(); ++i) {
          workers.emplace_back([&, i] {
            const std::string key = "key/" + std::to_string(i);
            status[i] = 0;
            for (int round = 0; round < 200 && status[i] == 0; ++round) {
              const std::string value = std::to_string(round);
              if (!job.store().set(key, as_bytes(value))) status[i] = 1;
              const Result<Value> read = job.store().get(key);
              if (!read || as_text(*read) != value) status[i] = 2;
            }
          });
        }
      }
      // The workers have come to their end while the waiter waits.
      if (!job.store().set("at the end", as_bytes("now"))) return 3;
      waiter.join();
      for (const int one : status) {
        if (one != 0) return one;
      }
      return 0;
    });
  });
  EXPECT_TRUE(ended_well(rank));
}

TEST(Threads, a_thread_in_a_barrier_does_not_stop_the_store) {
  const TempDir dir;
  Ranks ranks(2, [&](std::uint32_t rank) {
    return join_and(rank_of(dir.unix_url(), rank, 2), [&](Job& job) {
      if (rank == 1) {
        // Comes to the barrier only after rank 0 has used the store from inside it.
        if (const auto set = job.store().wait_get("from the other thread"); !set) return 1;
        return outcome(job.world().barrier());
      }
      int status = -1;
      std::jthread waiter([&] { status = outcome(job.world().barrier()); });
      if (!job.store().set("from the other thread", as_bytes("here"))) return 2;
      waiter.join();
      return status;
    });
  });
  for (const Ended& one : ranks.wait()) EXPECT_TRUE(ended_well(one));
}

}  // namespace
}  // namespace muster::process_test
