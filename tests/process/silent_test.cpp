// Field report 25, the other half: who is gone without a word is found by its silence, and who is
// merely slow is not taken for gone.

#include <chrono>
#include <gmock/gmock.h>
#include <signal.h>
#include <string>
#include <thread>
#include <vector>

#include "rank_process.hpp"
#include "support/ports.hpp"
#include "support/temp_dir.hpp"

namespace muster::process_test {
namespace {

using namespace std::chrono_literals;
using support::TempDir;
using testing::AllOf;
using testing::HasSubstr;

/// So that two seconds and a half of silence are too long: no thread of who lives is kept from its
/// work for as long, however busy this machine is.
constexpr Duration heartbeat = 500ms;
constexpr Duration limit = 5 * heartbeat;
constexpr const char* silent_for_too_long = "silent for 2.5 s";
/// So much longer that who is silent for as long would be given up.
constexpr Duration longer = limit * 3 / 2;
/// For this machine, which may be busy.
constexpr Duration in_time = 30s;

JoinOptions beating(const std::string& url, std::uint32_t rank, std::uint32_t size) {
  JoinOptions options = rank_of(url, rank, size);
  options.heartbeat = heartbeat;
  return options;
}

/// Both kinds of links.
struct Addresses {
  TempDir dir;
  support::Port port = support::closed_port();
  std::vector<std::string> urls{dir.unix_url(), port.url};
};

void expect_silent_rank(const Ended& ended, const Process& victim, TimePoint stopped) {
  const Told told = told_error(ended);
  EXPECT_EQ(told.code, "rank_lost") << ended;
  EXPECT_THAT(told.text, AllOf(HasSubstr("rank 2 "), HasSubstr("host "),
                               HasSubstr(pid_text(victim)), HasSubstr(silent_for_too_long)));
  EXPECT_GE(told.at - stopped, limit / 2) << "it was alive so far";
  EXPECT_LT(told.at - stopped, in_time);
}

TEST(Silent, a_stopped_rank_is_named_lost_to_all_within_the_limit) {
  const Addresses both;
  for (const std::string& url : both.urls) {
    Ranks ranks(4, [&](std::uint32_t rank) {
      return join_and(beating(url, rank, 4), [&](Job& job) {
        if (rank == 2) {
          support::hear();
          return outcome(job.store().get("key"));
        }
        if (rank == 3) return outcome(job.store().wait_get("from rank 2"));
        return outcome(job.world().barrier("epoch end"));
      });
    });
    ASSERT_TRUE(ranks.wait_for_out("joined"));
    const TimePoint stopped = Clock::now();
    ranks[2].stop();
    for (const std::uint32_t rank : {0U, 1U, 3U}) {
      expect_silent_rank(ranks[rank].wait(), ranks[2], stopped);
    }
    // When it goes on it hears that it is out, and why.
    ranks[2].send_signal(SIGCONT);
    ranks[2].say("go on");
    const Told told = told_error(ranks[2].wait());
    EXPECT_EQ(told.code, "server_lost");
    EXPECT_THAT(told.text, AllOf(HasSubstr("given this process up"), HasSubstr(silent_for_too_long),
                                 HasSubstr("MUSTER_HEARTBEAT=0")));
  }
}

TEST(Silent, a_stopped_server_is_lost_to_all_ranks_wherever_they_are) {
  const Addresses both;
  for (const std::string& url : both.urls) {
    Ranks ranks(4, [&](std::uint32_t rank) {
      return join_and(beating(url, rank, 4), [&](Job& job) {
        job.on_failure([](const Failure& failure) { tell("NOTICED " + failure.reason); });
        if (rank == 1) return outcome(job.world().barrier());
        if (rank == 2) return outcome(job.store().wait_get("never"));
        tell("idle");
        support::hear();
        return 0;
      });
    });
    ASSERT_TRUE(ranks[3].wait_for_out("idle"));
    ASSERT_TRUE(ranks.wait_for_out("joined"));
    const TimePoint stopped = Clock::now();
    ranks[0].stop();
    for (const std::uint32_t rank : {1U, 2U}) {
      const Told told = told_error(ranks[rank].wait());
      EXPECT_EQ(told.code, "server_lost");
      EXPECT_THAT(told.text, AllOf(HasSubstr("rank 0"), HasSubstr(pid_text(ranks[0])),
                                   HasSubstr(silent_for_too_long)));
      EXPECT_LT(told.at - stopped, in_time);
    }
    EXPECT_TRUE(ranks[3].wait_for_out("NOTICED the server", in_time));
    ranks[3].say("go on");
    EXPECT_TRUE(ended_well(ranks[3])) << "nobody is left to wait for";
  }
}

TEST(Silent, who_was_stopped_and_goes_on_hears_before_it_judges) {
  const TempDir dir;
  Ranks ranks(3, [&](std::uint32_t rank) {
    return join_and(beating(dir.unix_url(), rank, 3), [&](Job& job) {
      support::hear();
      return outcome(job.world().barrier());
    });
  });
  ASSERT_TRUE(ranks.wait_for_out("joined"));
  // All at once, as a batch system does it, and for much longer than the limit.
  for (const std::uint32_t rank : {0U, 1U, 2U}) ranks[rank].stop();
  std::this_thread::sleep_for(longer);  // taste: it is time that must not count
  for (const std::uint32_t rank : {2U, 1U, 0U}) ranks[rank].send_signal(SIGCONT);
  ranks.say("go on");
  for (const Ended& one : ranks.wait()) EXPECT_TRUE(ended_well(one));
}

TEST(Silent, a_rank_that_computes_or_waits_for_long_is_not_lost) {
  const TempDir dir;
  Ranks ranks(4, [&](std::uint32_t rank) {
    return join_and(beating(dir.unix_url(), rank, 4), [&](Job& job) {
      if (rank == 1) {  // computes
        const TimePoint end = Clock::now() + longer;
        while (Clock::now() < end) {
        }
      } else if (rank == 2) {                 // blocks elsewhere
        std::this_thread::sleep_for(longer);  // taste: it is what the application does
      }
      return outcome(job.world().barrier("slow ones", Deadline::in(patience)));
    });
  });
  for (const Ended& one : ranks.wait()) EXPECT_TRUE(ended_well(one));
}

TEST(Silent, signs_of_life_are_given_over_tls_too) {
  const TempDir dir;
  const Secret secret = Secret::random();
  Ranks ranks(3, [&](std::uint32_t rank) {
    JoinOptions options = beating(dir.unix_url(), rank, 3);
    options.credentials.security = Security::tls;
    options.credentials.secret = secret;
    return join_and(std::move(options), [&](Job& job) {
      if (rank == 2) support::hear();
      return outcome(job.world().barrier("slow ones"));
    });
  });
  ASSERT_TRUE(ranks.wait_for_out("joined"));
  std::this_thread::sleep_for(longer);  // taste: it is time in which nobody is to be lost
  const TimePoint stopped = Clock::now();
  ranks[2].stop();
  for (const std::uint32_t rank : {0U, 1U}) {
    expect_silent_rank(ranks[rank].wait(), ranks[2], stopped);
  }
}

TEST(Silent, without_heartbeats_a_stopped_rank_is_waited_for) {
  const TempDir dir;
  Ranks ranks(2, [&](std::uint32_t rank) {
    JoinOptions options = beating(dir.unix_url(), rank, 2);
    if (rank == 1) options.heartbeat = 0s;
    return join_and(std::move(options), [&](Job& job) {
      if (rank == 1) support::hear();
      return outcome(job.world().barrier("with who was stopped", Deadline::in(patience)));
    });
  });
  ASSERT_TRUE(ranks.wait_for_out("joined"));
  ranks[1].stop();
  std::this_thread::sleep_for(longer);  // taste: it is time that must not count
  ranks[1].send_signal(SIGCONT);
  ranks[1].say("go on");
  for (const Ended& one : ranks.wait()) EXPECT_TRUE(ended_well(one));
}

}  // namespace
}  // namespace muster::process_test
