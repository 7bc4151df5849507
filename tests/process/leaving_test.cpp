// Field reports 20, 24 and 27: the end of a job, and the next one.

#include <chrono>
#include <filesystem>
#include <gmock/gmock.h>
#include <signal.h>
#include <spawn.h>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

#include "rank_process.hpp"
#include "support/ports.hpp"
#include "support/proc_fs.hpp"
#include "support/temp_dir.hpp"

namespace muster::process_test {
namespace {

using namespace std::chrono_literals;
using support::TempDir;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(Leaving, a_program_started_by_the_serving_rank_does_not_keep_the_port) {
  const support::Port port = support::closed_port();
  Process first = Process::fork([&] {
    return join_and(rank_of(port.url, 0, 1), [](Job&) {
      std::string words[] = {"sleep", "1000"};
      char* argv[] = {words[0].data(), words[1].data(), nullptr};
      pid_t child = 0;
      if (::posix_spawnp(&child, "sleep", nullptr, nullptr, argv, environ) != 0) return 1;
      tell("child " + std::to_string(child) + " end");
      return 0;
    });
  });
  ASSERT_TRUE(first.wait_for_out(" end"));
  const pid_t child = std::stoi(first.out().substr(first.out().find("child ") + 6));
  EXPECT_TRUE(ended_well(first));

  EXPECT_EQ(::kill(child, 0), 0) << "the child is to live on, for this test";
  EXPECT_THAT(support::listening_addresses(child), IsEmpty());
  Process second = Process::fork([&] { return join_and_leave(rank_of(port.url, 0, 1)); });
  EXPECT_TRUE(ended_well(second));
  ::kill(child, SIGKILL);
}

TEST(Leaving, the_same_address_can_be_served_again_at_once) {
  const support::Port port = support::closed_port();
  for (int i = 0; i < 5; ++i) {
    Ranks ranks(2, [&](std::uint32_t rank) { return join_and_leave(rank_of(port.url, rank, 2)); });
    for (const Ended& one : ranks.wait()) EXPECT_TRUE(ended_well(one));
  }
}

TEST(Leaving, ranks_may_join_again_at_once_without_waiting_for_each_other) {
  const support::Port port = support::closed_port();
  const TempDir dir;
  for (const std::string& url : {port.url, dir.unix_url()}) {
    Ranks ranks(3, [&](std::uint32_t rank) {
      for (int i = 0; i < 20; ++i) {
        if (const int failed = join_and_leave(rank_of(url, rank, 3)); failed != 0) return failed;
      }
      return 0;
    });
    for (const Ended& one : ranks.wait()) EXPECT_TRUE(ended_well(one)) << url;
  }
}

TEST(Leaving, rank_0_may_finish_first_and_nobody_complains) {
  const TempDir dir;
  Ranks ranks(4, [&](std::uint32_t rank) {
    return join_and(rank_of(dir.unix_url(), rank, 4), [&](Job& job) {
      if (rank == 0) return 0;
      support::hear();
      for (int i = 0; i < 100; ++i) {
        const std::string key = "key/" + std::to_string(rank);
        if (!job.store().set(key, as_bytes("value"))) return 1;
      }
      return 0;
    });
  });
  ASSERT_TRUE(ranks.wait_for_out("joined"));
  ranks.say("go on");
  for (const Ended& one : ranks.wait()) {
    EXPECT_TRUE(ended_well(one));
    EXPECT_THAT(one.err, IsEmpty());
  }
}

TEST(Leaving, ranks_that_end_without_a_word_of_goodbye_do_not_complain_either) {
  const TempDir dir;
  Ranks ranks(4, [&](std::uint32_t rank) {
    const Result<Job> job = Job::join(rank_of(dir.unix_url(), rank, 4));
    return job ? 0 : tell_error(job.error());
  });
  for (const Ended& one : ranks.wait()) {
    EXPECT_TRUE(ended_well(one));
    EXPECT_THAT(one.err, IsEmpty());
  }
}

TEST(Leaving, waits_for_the_others_no_longer_than_asked_and_names_them) {
  const TempDir dir;
  Ranks ranks(2, [&](std::uint32_t rank) {
    Result<Job> job = Job::join(rank_of(dir.unix_url(), rank, 2));
    if (!job) return tell_error(job.error());
    if (rank == 1) support::hear();
    return outcome(job->leave(Deadline::in(rank == 1 ? Duration{patience} : 300ms)));
  });
  const Ended first = ranks[0].wait();
  const Told told = told_error(first);
  EXPECT_EQ(told.code, "rank_missing") << first;
  EXPECT_EQ(told.phase, "leave");
  EXPECT_THAT(told.text, HasSubstr("1 of 2 ranks did not leave within "));
  EXPECT_THAT(told.text, HasSubstr("rank 1"));
  ranks[1].say("go on");
  EXPECT_TRUE(ended_well(ranks[1])) << "its server has gone, and it needs it no more";
}

TEST(Leaving, when_the_serving_rank_waits_no_longer_all_who_wait_are_told_the_same_names) {
  const TempDir dir;
  Ranks ranks(4, [&](std::uint32_t rank) {
    Result<Job> job = Job::join(rank_of(dir.unix_url(), rank, 4));
    if (!job) return tell_error(job.error());
    if (rank == 3) support::hear();
    // The one with little time comes once the others wait.
    const auto others_wait = [](const JobStatus& status) {
      return status.rows[1].state == State::left && status.rows[2].state == State::left;
    };
    if (const int failed = rank == 0 ? see(*job, others_wait) : 0; failed != 0) return failed;
    return outcome(job->leave(Deadline::in(rank == 0 ? 300ms : Duration{patience})));
  });
  for (const std::uint32_t rank : {0U, 1U, 2U}) {
    const Told told = told_error(ranks[rank].wait());
    EXPECT_EQ(told.code, "rank_missing");
    EXPECT_THAT(told.text,
                testing::AllOf(HasSubstr("1 of 4 ranks did not leave"), HasSubstr("rank 3")));
  }
  ranks[3].say("go on");
  EXPECT_TRUE(ended_well(ranks[3]));
}

TEST(Leaving, a_rank_that_leaves_at_once_waits_for_nobody_and_nobody_for_it) {
  const TempDir dir;
  Ranks ranks(3, [&](std::uint32_t rank) {
    Result<Job> job = Job::join(rank_of(dir.unix_url(), rank, 3));
    if (!job) return tell_error(job.error());
    tell("joined");
    if (rank == 1) {
      job->leave_now();
      return 0;
    }
    if (rank == 2) support::hear();
    return outcome(job->leave(Deadline::in(patience)));
  });
  EXPECT_TRUE(ended_well(ranks[1])) << "long before the others";
  ASSERT_TRUE(ranks[2].wait_for_out("joined"));
  ranks[2].say("go on");
  EXPECT_TRUE(ended_well(ranks[0]));
  EXPECT_TRUE(ended_well(ranks[2]));
}

TEST(Leaving, a_job_that_is_dropped_takes_no_longer_than_a_moment_whatever_its_server_does) {
  const TempDir dir;
  Ranks ranks(2, [&](std::uint32_t rank) {
    Result<Job> job = Job::join(rank_of(dir.unix_url(), rank, 2));
    if (!job) return tell_error(job.error());
    tell("joined");
    support::hear();
    const TimePoint begun = Clock::now();
    { const Job dropped = *std::move(job); }
    return Clock::now() - begun < 30s ? 0 : 1;
  });
  ASSERT_TRUE(ranks.wait_for_out("joined"));
  ranks[0].stop();
  ranks[1].say("go on");
  EXPECT_TRUE(ended_well(ranks[1]));
}

/// All ranks of one job in this process, a thread each; 0 if all went well.
int job_in_threads(const std::string& url, std::uint32_t size) {
  std::vector<int> status(size, -1);
  {
    std::vector<std::jthread> threads;
    for (std::uint32_t rank = 0; rank < size; ++rank) {
      threads.emplace_back([&, rank] {
        Result<Job> job = Job::join(rank_of(url, rank, size));
        if (!job) {
          status[rank] = tell_error(job.error());
          return;
        }
        const auto parts = job->world().allgather(as_bytes(std::to_string(rank)), "ranks");
        const bool complete = parts && parts->size() == size &&
                              as_text((*parts)[size - 1]) == std::to_string(size - 1);
        status[rank] = complete ? outcome(job->leave()) : 1;
      });
    }
  }
  for (const int one : status) {
    if (one != 0) return one;
  }
  return 0;
}

TEST(Leaving, one_process_may_join_leave_and_join_again_with_another_size) {
  const TempDir dir;
  Process process = Process::fork([&] {
    for (const std::uint32_t size : {2U, 5U, 1U, 3U}) {
      if (const int status = job_in_threads(dir.unix_url(), size); status != 0) return status;
    }
    return 0;
  });
  EXPECT_TRUE(ended_well(process));
}

TEST(Leaving, nothing_is_left_behind_in_the_process) {
  const TempDir dir;
  Process process = Process::fork([&] {
    if (job_in_threads(dir.unix_url(), 3) != 0) return 1;
    const std::size_t descriptors = support::open_descriptors(::getpid());
    const std::size_t threads = support::threads(::getpid());
    for (int i = 0; i < 10; ++i) {
      if (job_in_threads(dir.unix_url(), 3) != 0) return 2;
    }
    if (!support::comes_down_to(::getpid(), descriptors, threads)) return 3;
    return std::filesystem::is_empty(dir.path()) ? 0 : 4;
  });
  EXPECT_TRUE(ended_well(process));
}

TEST(Leaving, two_jobs_live_side_by_side_in_one_process) {
  const TempDir dir;
  Process process = Process::fork([&] {
    int red = -1;
    int blue = -1;
    {
      const std::jthread one([&] { red = job_in_threads(dir.unix_url("red"), 3); });
      const std::jthread other([&] { blue = job_in_threads(dir.unix_url("blue"), 2); });
    }
    return red != 0 ? red : blue;
  });
  EXPECT_TRUE(ended_well(process));
}

TEST(Leaving, one_rank_may_be_in_two_jobs_at_once) {
  const TempDir dir;
  Ranks ranks(2, [&](std::uint32_t rank) {
    JoinOptions red = rank_of(dir.unix_url("red"), rank, 2);
    JoinOptions blue = rank_of(dir.unix_url("blue"), 1 - rank, 2);
    red.job_id = "red";
    blue.job_id = "blue";
    red.until = Until::admitted;
    blue.until = Until::admitted;
    // Each serves one of them, so the one that it serves has to come first.
    Result<Job> served = Job::join(rank == 0 ? red : blue);
    if (!served) return tell_error(served.error());
    Result<Job> joined = Job::join(rank == 0 ? blue : red);
    if (!joined) return tell_error(joined.error());
    Job& in_red = rank == 0 ? *served : *joined;
    Job& in_blue = rank == 0 ? *joined : *served;
    if (const int status = outcome(in_red.world().barrier()); status != 0) return status;
    if (const int status = outcome(in_blue.world().barrier()); status != 0) return status;
    if (served->id() == joined->id() || !(served->rank() == 0 && joined->rank() == 1)) return 1;
    // Waiting here for the other process, which waits in the other job, would be a knot.
    joined->leave_now();
    return outcome(served->leave());
  });
  for (const Ended& one : ranks.wait()) EXPECT_TRUE(ended_well(one));
}

}  // namespace
}  // namespace muster::process_test
