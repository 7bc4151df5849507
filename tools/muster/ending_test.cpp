#include "ending.hpp"

#include <csignal>
#include <gmock/gmock.h>

namespace muster::tool {
namespace {

using namespace std::chrono_literals;
using testing::EndsWith;
using testing::HasSubstr;

const TimePoint start{};

TEST(Ending, nothing_is_due_while_all_is_well) {
  Ending ending(5s);
  EXPECT_EQ(ending.due(start + 24h), Step::none);
  EXPECT_EQ(ending.next_deadline(), std::nullopt);
}

TEST(Ending, after_a_failure_the_others_have_a_grace_before_each_step) {
  Ending ending(5s);
  ending.failed(start);
  EXPECT_EQ(ending.next_deadline(), start + 5s);
  EXPECT_EQ(ending.due(start + 4999ms), Step::none);
  EXPECT_EQ(ending.due(start + 5s), Step::terminate);
  EXPECT_EQ(ending.due(start + 5s), Step::none) << "said once";
  EXPECT_EQ(ending.next_deadline(), start + 10s);
  EXPECT_EQ(ending.due(start + 10s), Step::kill);
  EXPECT_EQ(ending.due(start + 11s), Step::none) << "said once";
  EXPECT_EQ(ending.next_deadline(), std::nullopt);
}

TEST(Ending, a_second_failure_does_not_extend_the_grace) {
  Ending ending(5s);
  ending.failed(start);
  ending.failed(start + 3s);
  EXPECT_EQ(ending.due(start + 5s), Step::terminate);
}

TEST(Ending, a_signal_terminates_at_once_and_kills_after_the_grace) {
  Ending ending(5s);
  ending.interrupted(SIGINT, start);
  EXPECT_EQ(ending.due(start), Step::terminate);
  EXPECT_EQ(ending.next_deadline(), start + 5s);
  EXPECT_EQ(ending.due(start + 5s), Step::kill);
}

TEST(Ending, a_second_signal_kills_at_once_and_the_first_one_counts) {
  Ending ending(5s);
  ending.interrupted(SIGTERM, start);
  EXPECT_EQ(ending.due(start), Step::terminate);
  ending.interrupted(SIGINT, start + 1s);
  EXPECT_EQ(ending.due(start + 1s), Step::kill);
  EXPECT_EQ(ending.signal(), SIGTERM);
}

TEST(Ending, a_signal_after_a_failure_only_hastens) {
  Ending ending(5s);
  ending.failed(start);
  ending.interrupted(SIGINT, start + 9s);
  EXPECT_EQ(ending.due(start + 9s), Step::terminate);
  EXPECT_EQ(ending.due(start + 10s), Step::kill);
}

constexpr EndStatus well{false, 0};
constexpr EndStatus one{false, 1};
constexpr EndStatus killed{true, SIGKILL};

TEST(Verdict, is_0_if_all_are_well) {
  const std::vector<RankEnd> ends{{0, 10, well}, {1, 11, well}};
  const Verdict got = verdict(ends, std::nullopt, std::nullopt);
  EXPECT_EQ(got.exit_code, 0);
  EXPECT_EQ(summary(ends, got), "");
}

TEST(Verdict, is_the_first_failed_status_if_the_server_knows_of_no_casualty) {
  const std::vector<RankEnd> ends{{2, 12, well}, {1, 11, {false, 3}}, {0, 10, {false, 9}}};
  EXPECT_EQ(verdict(ends, std::nullopt, std::nullopt).exit_code, 3);
}

TEST(Verdict, is_the_status_of_the_casualty_not_of_the_one_reaped_first) {
  const std::vector<RankEnd> ends{{0, 10, one}, {2, 12, killed}, {1, 11, one}};
  const Verdict got = verdict(ends, 2, std::nullopt);
  EXPECT_EQ(got.exit_code, 137);
  EXPECT_EQ(got.why, "rank 2 (pid 12) was ended by signal 9 (Killed)");
}

TEST(Verdict, a_casualty_whose_process_ended_well_does_not_hide_a_failure) {
  const std::vector<RankEnd> ends{{2, 12, well}, {0, 10, one}};
  EXPECT_EQ(verdict(ends, 2, std::nullopt).exit_code, 1);
}

TEST(Verdict, seventy_outranks_the_casualty) {
  const std::vector<RankEnd> ends{{2, 12, killed}, {0, 10, {false, 70}}};
  EXPECT_EQ(verdict(ends, 2, std::nullopt).exit_code, 70);
}

TEST(Verdict, a_signal_to_run_itself_outranks_all) {
  const std::vector<RankEnd> ends{{0, 10, {false, 70}}};
  const Verdict got = verdict(ends, 0, SIGINT);
  EXPECT_EQ(got.exit_code, 130);
  EXPECT_THAT(got.why, HasSubstr("signal 2 (Interrupt)"));
}

TEST(Summary, has_a_line_a_failed_rank_and_ends_with_the_exit_code) {
  const std::vector<RankEnd> ends{{0, 10, one}, {1, 11, well}, {2, 12, killed}};
  EXPECT_EQ(summary(ends, verdict(ends, 2, std::nullopt)),
            "muster run: rank 0 (pid 10) ended with exit code 1\n"
            "muster run: rank 2 (pid 12) was ended by signal 9 (Killed)\n"
            "muster run: exit code 137 because rank 2 (pid 12) was ended by signal 9 (Killed)\n");
}

TEST(Summary, names_sixteen_ranks_and_counts_the_rest) {
  std::vector<RankEnd> ends;
  for (std::uint32_t rank = 0; rank < 17; ++rank) ends.push_back({rank, 10, one});
  const std::string text = summary(ends, verdict(ends, std::nullopt, std::nullopt));
  EXPECT_THAT(text, HasSubstr("rank 15 (pid 10)"));
  EXPECT_THAT(text, testing::Not(HasSubstr("rank 16")));
  EXPECT_THAT(text, HasSubstr("... and 1 more\n"));
}

TEST(EndStatus, reads_what_waitpid_says) {
  EXPECT_EQ(EndStatus::from_wait(3 << 8), (EndStatus{false, 3}));
  EXPECT_EQ(EndStatus::from_wait(SIGKILL), killed);
  EXPECT_EQ(killed.code(), 137);
}

}  // namespace
}  // namespace muster::tool
