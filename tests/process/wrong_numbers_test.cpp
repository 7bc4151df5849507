// Field reports 11 to 14: ranks that do not fit together.

#include <chrono>
#include <gmock/gmock.h>
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

/// "At once": long before the time-out of a minute.
constexpr Duration at_once = 30s;

Process start(const JoinOptions& options) {
  return Process::fork([&] { return join_and_leave(options); });
}

TEST(WrongNumbers, a_rank_claimed_twice_fails_all_at_once_and_names_both) {
  const TempDir dir;
  Process rank_0 = start(rank_of(dir.unix_url(), 0, 3));
  Process first = start(rank_of(dir.unix_url(), 1, 3));
  Process second = start(rank_of(dir.unix_url(), 1, 3));
  for (Process* one : {&rank_0, &first, &second}) {
    const Ended ended = one->wait();
    EXPECT_EQ(ended.exit_code, failed) << ended;
    const Told told = told_error(ended);
    EXPECT_EQ(told.code, "refused");
    EXPECT_THAT(told.text, AllOf(HasSubstr("rank 1 is claimed twice"), HasSubstr(pid_text(first)),
                                 HasSubstr(pid_text(second)), HasSubstr("host ")));
    EXPECT_LT(told.elapsed, at_once);
  }
}

TEST(WrongNumbers, a_rank_claimed_again_when_all_are_in_concerns_the_newcomer_alone) {
  const TempDir dir;
  Ranks ranks(2, [&](std::uint32_t rank) {
    return join_and(rank_of(dir.unix_url(), rank, 2), [](Job& job) {
      support::hear();
      return outcome(job.world().barrier());
    });
  });
  ASSERT_TRUE(ranks.wait_for_out("joined"));
  Process again = start(rank_of(dir.unix_url(), 1, 2));
  const Told told = told_error(again.wait());
  EXPECT_EQ(told.code, "refused");
  EXPECT_THAT(told.text, HasSubstr("rank 1 is claimed twice"));
  ranks.say("go on");
  for (const Ended& one : ranks.wait()) EXPECT_TRUE(ended_well(one));
}

TEST(WrongNumbers, another_size_fails_all_at_once_and_names_both) {
  const TempDir dir;
  Process rank_0 = start(rank_of(dir.unix_url(), 0, 3));
  Process rank_1 = start(rank_of(dir.unix_url(), 1, 4));
  for (Process* one : {&rank_0, &rank_1}) {
    const Ended ended = one->wait();
    EXPECT_EQ(ended.exit_code, failed) << ended;
    const Told told = told_error(ended);
    EXPECT_EQ(told.code, "refused");
    EXPECT_THAT(told.text,
                AllOf(HasSubstr("rank 1 "), HasSubstr("has 4 ranks"), HasSubstr("says 3"),
                      HasSubstr(pid_text(rank_0)), HasSubstr(pid_text(rank_1))));
    EXPECT_LT(told.elapsed, at_once);
  }
}

TEST(WrongNumbers, a_rank_beyond_the_size_is_refused_before_anything_is_sent) {
  Process rank = start(rank_of("tcp://127.0.0.1:1", 4, 4));
  const Told told = told_error(rank.wait());
  EXPECT_EQ(told.code, "invalid_argument");
  EXPECT_EQ(told.phase, "local");
  EXPECT_LT(told.elapsed, at_once);
}

Contract contract(std::int64_t batch, const std::string& token) {
  return Contract::Builder()
      .integer("batch_size", batch, Share::open)
      .text("dataset", token)
      .build()
      .value();
}

TEST(WrongNumbers, contracts_that_differ_are_found_at_join_on_every_rank) {
  const TempDir dir;
  Ranks ranks(3, [&](std::uint32_t rank) {
    JoinOptions options = rank_of(dir.unix_url(), rank, 3);
    options.contract = contract(rank == 1 ? 64 : 32, rank == 2 ? "hidden-b" : "hidden-a");
    return join_and_leave(std::move(options));
  });
  for (const Ended& ended : ranks.wait()) {
    EXPECT_EQ(ended.exit_code, failed) << ended;
    const Told told = told_error(ended);
    EXPECT_EQ(told.code, "contract_mismatch");
    EXPECT_EQ(told.exit_code, 70);
    EXPECT_THAT(told.text, AllOf(HasSubstr("batch_size"), HasSubstr("32"), HasSubstr("64"),
                                 HasSubstr("dataset"), Not(HasSubstr("hidden"))));
    EXPECT_LT(told.elapsed, at_once);
  }
}

TEST(WrongNumbers, contracts_that_agree_let_all_in) {
  const TempDir dir;
  Ranks ranks(3, [&](std::uint32_t rank) {
    JoinOptions options = rank_of(dir.unix_url(), rank, 3);
    options.contract = contract(32, "same");
    return join_and_leave(std::move(options));
  });
  for (const Ended& one : ranks.wait()) EXPECT_TRUE(ended_well(one));
}

/// Ranks 0 and 1 make one call, rank 2 another: all three are to be told of both.
void expect_mismatch(const std::function<int(Job&)>& most, const std::function<int(Job&)>& rank_2,
                     const std::vector<std::string>& named) {
  const TempDir dir;
  Ranks ranks(3, [&](std::uint32_t rank) {
    return join_and(rank_of(dir.unix_url(), rank, 3), [&](Job& job) {
      const int told = rank == 2 ? rank_2(job) : most(job);
      // In order: rank 0 serves, and if it went before the others, they would hear of that.
      return job.leave() ? told : 1;
    });
  });
  for (const Ended& ended : ranks.wait()) {
    EXPECT_EQ(ended.exit_code, failed) << ended;
    const Told told = told_error(ended);
    EXPECT_EQ(told.code, "mismatch");
    for (const std::string& word : named) EXPECT_THAT(told.text, HasSubstr(word));
    EXPECT_LT(told.elapsed, at_once);
  }
}

TEST(WrongNumbers, calls_in_another_order_are_a_mismatch_that_names_both_sites) {
  expect_mismatch([](Job& job) { return outcome(job.world().barrier("before training")); },
                  [](Job& job) { return outcome(job.world().barrier("before saving")); },
                  {"barrier 'before training'", "barrier 'before saving'", "rank 2"});
}

TEST(WrongNumbers, another_collective_is_a_mismatch_that_names_both_sites) {
  expect_mismatch([](Job& job) { return outcome(job.world().barrier("sync")); },
                  [](Job& job) { return outcome(job.world().allgather(as_bytes("x"), "sizes")); },
                  {"barrier 'sync'", "allgather 'sizes'", "rank 2"});
}

TEST(WrongNumbers, another_size_of_payload_is_a_mismatch_that_names_both_sizes) {
  expect_mismatch([](Job& job) { return outcome(job.world().allgather(as_bytes("1234"), "key")); },
                  [](Job& job) { return outcome(job.world().allgather(as_bytes("12345"), "key")); },
                  {"allgather 'key'", "4 bytes", "5 bytes", "rank 2"});
}

TEST(WrongNumbers, one_call_fewer_is_a_mismatch_when_the_rank_leaves) {
  expect_mismatch(
      [](Job& job) { return outcome(job.world().barrier("last")); },
      [](Job& job) {
        if (const int status = see_arrived(job, 2); status != 0) return status;
        // By leaving, which follows, it learns of the mismatch nothing: it needs nobody.
        return tell_error(Error{.code = Code::mismatch, .what = "rank 2 leaves barrier 'last'"});
      },
      {"rank 2 leaves", "barrier 'last'"});
}

}  // namespace
}  // namespace muster::process_test
