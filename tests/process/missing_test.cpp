// Field reports 5 to 10: somebody, or something, does not come.

#include <chrono>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <string>
#include <vector>

#include "rank_process.hpp"
#include "support/bad_peer.hpp"
#include "support/ports.hpp"
#include "support/temp_dir.hpp"

namespace muster::process_test {
namespace {

using namespace std::chrono_literals;
using support::BadPeer;
using support::TempDir;
using testing::AllOf;
using testing::HasSubstr;

/// What a slow machine may add to a deadline in a test; on an idle one it is a tenth of it.
constexpr Duration slack = 20s;

std::vector<Told> told_errors(std::vector<Ended> ended) {
  std::vector<Told> told;
  for (const Ended& one : ended) {
    EXPECT_EQ(one.exit_code, failed) << one;
    told.push_back(told_error(one));
  }
  return told;
}

TEST(Missing, at_the_deadline_every_rank_fails_with_the_same_list) {
  const TempDir dir;
  std::vector<Process> present;
  for (const std::uint32_t rank : {0U, 1U, 5U, 3U}) {
    if (rank == 3) {
      ASSERT_TRUE(are_in(dir.unix_url(), 3));
    }
    present.push_back(Process::fork([&, rank] {
      JoinOptions options = rank_of(dir.unix_url(), rank, 6);
      // The earliest deadline counts; a longer one does not make its rank wait longer.
      options.join_timeout = rank == 3 ? 1500ms : 60s;
      return join_and_leave(std::move(options));
    }));
  }
  std::vector<Ended> ended;
  for (Process& one : present) ended.push_back(one.wait());
  const std::vector<Told> told = told_errors(ended);
  for (const Told& one : told) {
    EXPECT_EQ(one.code, "rank_missing") << one.text;
    EXPECT_THAT(one.text,
                AllOf(HasSubstr("2 of 6 ranks did not join within"), HasSubstr("ranks 2, 4")));
  }
  EXPECT_LT(spread(told), slack) << "long before the longer deadlines";
}

TEST(Missing, when_the_serving_rank_is_missing_the_others_say_that_it_cannot_be_reached) {
  const support::Port nobody = support::closed_port();
  Ranks ranks(2, [&](std::uint32_t rank) {
    JoinOptions options = rank_of(nobody.url, rank + 1, 3);
    options.join_timeout = 300ms;
    return join_and_leave(std::move(options));
  });
  for (const Told& told : told_errors(ranks.wait())) {
    EXPECT_EQ(told.code, "unreachable");
    EXPECT_THAT(told.text, AllOf(HasSubstr(nobody.url), HasSubstr("Connection refused"),
                                 HasSubstr("is the job's server started")));
  }
}

TEST(Missing, a_key_that_nobody_sets_is_named_with_the_time_and_who_has_joined) {
  const TempDir dir;
  Ranks ranks(2, [&](std::uint32_t rank) {
    return join_and(rank_of(dir.unix_url(), rank, 2), [&](Job& job) {
      if (rank == 0) return 0;
      const Result<Value> value = job.store().wait_get("addr/1", Deadline::in(300ms));
      if (value) return 1;
      tell_error(value.error());
      return 0;
    });
  });
  const std::vector<Ended> ended = ranks.wait();
  EXPECT_TRUE(ended[0].well()) << ended[0];
  EXPECT_TRUE(ended[1].well()) << "the store stays usable: " << ended[1];
  const Told told = told_error(ended[1]);
  EXPECT_EQ(told.code, "timeout");
  EXPECT_THAT(told.text, AllOf(HasSubstr("nobody set key 'addr/1' within "), HasSubstr("2 of 2")));
}

TEST(Missing, a_barrier_names_all_late_ranks_to_all_and_can_be_used_again) {
  const TempDir dir;
  constexpr std::uint32_t size = 5;
  Ranks ranks(size, [&](std::uint32_t rank) {
    return join_and(rank_of(dir.unix_url(), rank, size), [&](Job& job) {
      const bool late = rank == 1 || rank == 3;
      if (late) support::hear();
      // The one with little time comes last of those who come.
      if (const int status = rank == 0 ? see_arrived(job, 2) : 0; status != 0) return status;
      const Duration time = rank == 0 ? 500ms : Duration{patience};
      const Result<void> first = job.world().barrier("epoch end", Deadline::in(time));
      if (first) return 1;
      tell_error(first.error());
      tell("failed");
      return outcome(job.world().barrier("next", Deadline::in(patience)));
    });
  });
  for (const std::uint32_t rank : {0U, 2U, 4U}) EXPECT_TRUE(ranks[rank].wait_for_out("failed"));
  ranks[1].say("go on");
  ranks[3].say("go on");
  const std::vector<Ended> ended = ranks.wait();
  for (const Ended& one : ended) {
    EXPECT_TRUE(ended_well(one));
    const Told told = told_error(one);
    EXPECT_EQ(told.code, "rank_missing");
    EXPECT_THAT(told.text, AllOf(HasSubstr("2 of 5 ranks did not come to barrier 'epoch end'"),
                                 HasSubstr("ranks 1, 3")));
    EXPECT_LT(told.elapsed, 500ms + slack) << "who comes late is told at once";
  }
}

/// Joins with little time to go, and says how it ended.
Told join_briefly(const std::string& url, Duration time = 500ms) {
  Process rank = Process::fork([&] {
    JoinOptions options = rank_of(url, 1, 2);
    options.join_timeout = time;
    return join_and_leave(std::move(options));
  });
  const Ended ended = rank.wait();
  EXPECT_EQ(ended.exit_code, failed) << ended;
  const Told told = told_error(ended);
  EXPECT_LT(told.elapsed, time + slack) << told.text;
  testing::Test::RecordProperty("elapsed_ms", static_cast<int>(told.elapsed / 1ms));
  return told;
}

TEST(Missing, a_peer_that_accepts_and_never_speaks_is_called_silent) {
  BadPeer silent(BadPeer::Kind::silent);
  const Told told = join_briefly(silent.url());
  EXPECT_EQ(told.code, "timeout");
  EXPECT_EQ(told.phase, "hello");
  EXPECT_GE(told.elapsed, 450ms);
  EXPECT_THAT(told.text, HasSubstr("connected, silent for "));
}

TEST(Missing, a_closed_port_takes_the_deadline_and_names_the_phase) {
  const support::Port closed = support::closed_port();
  const Told told = join_briefly(closed.url);
  EXPECT_EQ(told.code, "unreachable");
  EXPECT_EQ(told.phase, "connect");
  EXPECT_GE(told.elapsed, 450ms);
  EXPECT_THAT(told.text, HasSubstr("Connection refused"));
}

TEST(Missing, a_server_that_dies_after_accept_takes_the_deadline_and_names_the_phase) {
  for (const BadPeer::Kind kind : {BadPeer::Kind::closes, BadPeer::Kind::resets}) {
    BadPeer dying(kind);
    const Told told = join_briefly(dying.url(), 2500ms);  // for two tries at the least
    EXPECT_EQ(told.code, "unreachable");
    EXPECT_GE(told.elapsed, 1250ms) << "it is tried again until the deadline: " << told.text;
    EXPECT_THAT(told.text, HasSubstr("(tried "));
    // A reset may be there before the connection has been looked at.
    if (told.phase == "connect" && kind == BadPeer::Kind::resets) {
      EXPECT_THAT(told.text, HasSubstr("Connection reset by peer"));
    } else {
      EXPECT_EQ(told.phase, "hello");
      EXPECT_THAT(told.text, HasSubstr("the link broke before the server had answered"));
    }
  }
}

TEST(Missing, a_black_hole_takes_the_deadline_and_names_the_phase) {
  const support::FullPort hole = support::black_hole();
  const Told told = join_briefly(hole.port.url);
  EXPECT_EQ(told.code, "unreachable");
  EXPECT_EQ(told.phase, "connect");
  EXPECT_GE(told.elapsed, 450ms);
  EXPECT_THAT(told.text, HasSubstr("no answer"));
}

TEST(Missing, a_stopped_server_takes_the_deadline_and_names_the_phase) {
  const TempDir dir;
  Process server = Process::fork(
      [&] { return join_and(rank_of(dir.unix_url(), 0, 2), [](Job&) { return 0; }); });
  // It answers, then it is stopped.
  Process tool = Process::fork([&] { return outcome(query_status(dir.unix_url())); });
  ASSERT_TRUE(tool.wait().well());
  server.stop();
  const Told told = join_briefly(dir.unix_url());
  EXPECT_EQ(told.code, "timeout");
  EXPECT_EQ(told.phase, "hello");
  EXPECT_THAT(told.text, HasSubstr("connected, silent for "));
}

TEST(Missing, a_name_that_does_not_exist_ends_within_the_deadline_and_names_the_phase) {
  const Told told = join_briefly("tcp://no-such-host.invalid:4711");
  EXPECT_EQ(told.code, "unreachable");
  EXPECT_EQ(told.phase, "resolve");
  EXPECT_THAT(told.text, HasSubstr("'no-such-host.invalid'"));
}

TEST(Missing, a_rank_that_waits_for_its_server_joins_soon_after_it_comes) {
  // The best of some: a busy machine may delay one, a sleep of a second would delay all.
  Duration best = Duration::max();
  for (int i = 0; i < 5; ++i) {
    const TempDir dir;
    Process rank_1 = Process::fork([&] { return join_and_leave(rank_of(dir.unix_url(), 1, 2)); });
    // It knocks for longer than the back-off needs to reach its largest step.
    EXPECT_FALSE(rank_1.wait_for_out("joined", 150ms));
    const TimePoint begun = Clock::now();
    Process rank_0 = Process::fork([&] { return join_and_leave(rank_of(dir.unix_url(), 0, 2)); });
    ASSERT_TRUE(rank_1.wait_for_out("joined"));
    best = std::min(best, Clock::now() - begun);
    EXPECT_TRUE(ended_well(rank_0));
    EXPECT_TRUE(ended_well(rank_1));
  }
  EXPECT_LT(best, 600ms);
}

}  // namespace
}  // namespace muster::process_test
