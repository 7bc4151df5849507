// Field report 25: a process that is gone is noticed at once, and named.

#include <chrono>
#include <gmock/gmock.h>
#include <signal.h>
#include <string>
#include <vector>

#include "rank_process.hpp"
#include "support/temp_dir.hpp"

namespace muster::process_test {
namespace {

using namespace std::chrono_literals;
using support::TempDir;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// On an idle machine it is a millisecond or two; who would have waited for signs of life says so.
constexpr Duration at_once = 30s;

/// Kills `victim` with SIGKILL, and returns when.
TimePoint kill_dead(Process& victim) {
  const TimePoint when = Clock::now();
  victim.send_signal(SIGKILL);
  EXPECT_EQ(victim.wait().signal, SIGKILL);
  return when;
}

void expect_lost_rank(const Ended& ended, const Process& victim, TimePoint killed) {
  EXPECT_EQ(ended.exit_code, failed) << ended;
  const Told told = told_error(ended);
  EXPECT_EQ(told.code, "rank_lost");
  EXPECT_THAT(told.text,
              AllOf(HasSubstr("rank 2 "), HasSubstr("host "), HasSubstr(pid_text(victim)),
                    HasSubstr("is lost"), Not(HasSubstr("silent for"))));
  EXPECT_LT(told.at - killed, at_once);
}

TEST(Killed, a_rank_killed_while_others_wait_for_it_in_a_barrier_is_named_to_all) {
  const TempDir dir;
  Ranks ranks(4, [&](std::uint32_t rank) {
    return join_and(rank_of(dir.unix_url(), rank, 4), [&](Job& job) {
      if (rank == 2) support::hear();
      return outcome(job.world().barrier("epoch end"));
    });
  });
  ASSERT_TRUE(ranks.wait_for_out("joined"));
  const TimePoint killed = kill_dead(ranks[2]);
  for (const std::uint32_t rank : {0U, 1U, 3U}) {
    expect_lost_rank(ranks[rank].wait(), ranks[2], killed);
  }
}

TEST(Killed, a_rank_killed_inside_the_barrier_is_named_to_all) {
  const TempDir dir;
  Ranks ranks(4, [&](std::uint32_t rank) {
    return join_and(rank_of(dir.unix_url(), rank, 4), [&](Job& job) {
      if (rank == 3) {
        support::hear();
        // Its own round tells when the others are in it: the server has their arrivals.
        if (const int status = see_arrived(job, 3); status != 0) return status;
        tell("they are in");
        support::hear();
      }
      return outcome(job.world().barrier("epoch end"));
    });
  });
  ASSERT_TRUE(ranks.wait_for_out("joined"));
  ranks[3].say("look");
  ASSERT_TRUE(ranks[3].wait_for_out("they are in"));
  const TimePoint killed = kill_dead(ranks[2]);
  for (const std::uint32_t rank : {0U, 1U}) {
    expect_lost_rank(ranks[rank].wait(), ranks[2], killed);
  }
  ranks[3].say("go on");
  const Ended last = ranks[3].wait();
  EXPECT_EQ(told_error(last).code, "rank_lost") << "who comes later hears the same: " << last;
}

TEST(Killed, a_killed_rank_wakes_those_who_wait_for_a_key) {
  const TempDir dir;
  Ranks ranks(3, [&](std::uint32_t rank) {
    return join_and(rank_of(dir.unix_url(), rank, 3), [&](Job& job) {
      if (rank == 2) support::hear();
      return outcome(job.store().wait_get("from rank 2"));
    });
  });
  ASSERT_TRUE(ranks.wait_for_out("joined"));
  const TimePoint killed = kill_dead(ranks[2]);
  for (const std::uint32_t rank : {0U, 1U}) {
    expect_lost_rank(ranks[rank].wait(), ranks[2], killed);
  }
}

TEST(Killed, an_idle_rank_hears_of_it_through_its_handler) {
  const TempDir dir;
  Ranks ranks(3, [&](std::uint32_t rank) {
    return join_and(rank_of(dir.unix_url(), rank, 3), [&](Job& job) {
      job.on_failure([](const Failure& failure) { tell("NOTICED " + failure.reason); });
      tell("watching");
      support::hear();
      return 0;
    });
  });
  ASSERT_TRUE(ranks.wait_for_out("watching"));
  kill_dead(ranks[2]);
  for (const std::uint32_t rank : {0U, 1U}) {
    EXPECT_TRUE(ranks[rank].wait_for_out("is lost", at_once));
    EXPECT_THAT(ranks[rank].out(),
                AllOf(HasSubstr("NOTICED rank 2 "), HasSubstr(pid_text(ranks[2]))));
  }
  ranks.say("go on");
  for (const std::uint32_t rank : {0U, 1U}) EXPECT_TRUE(ended_well(ranks[rank]));
}

TEST(Killed, a_rank_killed_while_the_job_gathers_ends_the_gathering) {
  const TempDir dir;
  std::vector<Process> ranks;
  for (const std::uint32_t rank : {0U, 1U, 2U}) {
    ranks.push_back(
        Process::fork([&, rank] { return join_and_leave(rank_of(dir.unix_url(), rank, 4)); }));
  }
  ASSERT_TRUE(are_in(dir.unix_url(), 3));
  const TimePoint killed = kill_dead(ranks[2]);
  for (const std::size_t rank : {0U, 1U}) expect_lost_rank(ranks[rank].wait(), ranks[2], killed);
}

TEST(Killed, the_death_of_the_server_is_named_as_such) {
  const TempDir dir;
  Ranks ranks(3, [&](std::uint32_t rank) {
    return join_and(rank_of(dir.unix_url(), rank, 3), [&](Job& job) {
      if (rank == 0) support::hear();
      if (rank == 1) return outcome(job.world().barrier());
      return outcome(job.store().wait_get("never"));
    });
  });
  ASSERT_TRUE(ranks.wait_for_out("joined"));
  const TimePoint killed = kill_dead(ranks[0]);
  for (const std::uint32_t rank : {1U, 2U}) {
    const Ended ended = ranks[rank].wait();
    EXPECT_EQ(ended.exit_code, failed) << ended;
    const Told told = told_error(ended);
    EXPECT_EQ(told.code, "server_lost");
    EXPECT_THAT(told.text, AllOf(HasSubstr("server"), HasSubstr("rank 0"),
                                 HasSubstr(pid_text(ranks[0])), Not(HasSubstr("silent for"))));
    EXPECT_LT(told.at - killed, at_once);
  }
}

/// After the loss of rank 2, of four, where a loss is only told to whom it concerns.
int go_on_without_rank_2(Job& job) {
  const Result<void> all = job.world().barrier("all of us");
  if (all || all.error().code != Code::rank_lost) return 2;
  if (job.world().barrier("again").ok()) return 3;  // the world is broken for good
  if (!job.store().set("from " + std::to_string(job.rank()), as_bytes("v"))) return 4;
  const std::vector<std::uint32_t> left{0, 1, 3};
  auto rest = job.world().subset(left);
  if (!rest) return tell_error(rest.error());
  if (const Result<void> met = (*rest)->barrier("those who are left"); !met) {
    return tell_error(met.error());
  }
  const Result<Value> other = job.store().get("from " + std::to_string(job.rank() == 0 ? 3 : 0));
  return outcome(other);
}

TEST(Killed, where_a_loss_is_only_told_the_others_go_on) {
  const TempDir dir;
  Ranks ranks(4, [&](std::uint32_t rank) {
    JoinOptions options = rank_of(dir.unix_url(), rank, 4);
    if (rank == 0) options.on_loss = OnLoss::notify;
    return join_and(std::move(options), [&](Job& job) {
      job.on_failure([](const Failure& failure) { tell("NOTICED " + failure.reason); });
      if (rank == 2) support::hear();
      return go_on_without_rank_2(job);
    });
  });
  ASSERT_TRUE(ranks.wait_for_out("joined"));
  kill_dead(ranks[2]);
  for (const std::uint32_t rank : {0U, 1U, 3U}) {
    const Ended ended = ranks[rank].wait();
    EXPECT_TRUE(ended_well(ended)) << "leaving too: nobody waits for the lost";
    EXPECT_THAT(ended.out, Not(HasSubstr("NOTICED"))) << "the job has not failed";
  }
}

TEST(Killed, a_rank_that_fails_tells_the_others_why_and_what_to_exit_with) {
  const TempDir dir;
  Ranks ranks(3, [&](std::uint32_t rank) {
    return join_and(rank_of(dir.unix_url(), rank, 3), [&](Job& job) {
      if (rank == 1) return outcome(job.fail("the data set is gone", 77));
      return outcome(job.world().barrier());
    });
  });
  for (const std::uint32_t rank : {0U, 2U}) {
    const Told told = told_error(ranks[rank].wait());
    EXPECT_EQ(told.code, "rank_failed");
    EXPECT_EQ(told.exit_code, 77);
    EXPECT_THAT(told.text, AllOf(HasSubstr("rank 1 "), HasSubstr(pid_text(ranks[1])),
                                 HasSubstr("the data set is gone")));
  }
  const Ended first = ranks[1].wait();
  EXPECT_TRUE(ended_well(first));
}

}  // namespace
}  // namespace muster::process_test
