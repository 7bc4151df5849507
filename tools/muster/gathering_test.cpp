#include "gathering.hpp"

#include <csignal>
#include <gmock/gmock.h>

namespace muster::tool {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

JobStatus with(std::initializer_list<State> states) {
  JobStatus status;
  for (const State state : states) {
    const auto rank = static_cast<std::uint32_t>(status.rows.size());
    status.rows.push_back({.who = {.rank = rank}, .state = state});
  }
  return status;
}

std::vector<ProcessState> processes(std::initializer_list<std::optional<EndStatus>> ends) {
  std::vector<ProcessState> all;
  for (const auto& end : ends) {
    all.push_back({.pid = 4700 + static_cast<pid_t>(all.size()), .ended = end});
  }
  return all;
}

constexpr std::optional<EndStatus> running;
constexpr EndStatus well{false, 0};

TEST(MissingRanks, are_those_who_never_came) {
  EXPECT_THAT(missing_ranks(with({State::joined, State::absent, State::lost, State::left}), 5),
              ElementsAre(1, 4));
}

TEST(NeverComing, nothing_is_wrong_while_no_rank_has_joined) {
  EXPECT_FALSE(never_coming(with({State::absent, State::absent}), processes({well, running}), "h"));
}

TEST(NeverComing, nothing_is_wrong_while_the_missing_run) {
  EXPECT_FALSE(
      never_coming(with({State::joined, State::absent}), processes({running, running}), "h"));
}

TEST(NeverComing, a_rank_that_joined_and_ended_is_the_servers_concern) {
  EXPECT_FALSE(never_coming(with({State::joined, State::lost, State::absent}),
                            processes({running, EndStatus{true, SIGKILL}, running}), "h"));
}

TEST(NeverComing, names_the_process_that_ended_without_joining) {
  const auto failure = never_coming(with({State::joined, State::absent, State::absent}),
                                    processes({running, running, well}), "node7");
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->code, Code::rank_missing);
  EXPECT_EQ(failure->reason,
            "rank 2 (host node7, pid 4702) ended with exit code 0 before it joined");
  ASSERT_EQ(failure->who.size(), 1U);
  EXPECT_EQ(failure->who[0].rank, 2U);
}

TEST(NeverComing, counts_the_others) {
  const auto failure = never_coming(with({State::absent, State::joined, State::absent}),
                                    processes({EndStatus{true, SIGKILL}, running, well}), "node7");
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->reason,
            "rank 0 (host node7, pid 4700) was ended by signal 9 (Killed) before it joined, "
            "and so did 1 more");
}

TEST(ProgressLine, counts_and_names_the_missing_and_what_they_do) {
  EXPECT_EQ(progress_line(with({State::joined, State::absent, State::joined, State::absent}),
                          processes({running, running, running, well}), 10400ms),
            "2 of 4 ranks have joined after 10 s; missing: 1, 3 (rank 1: pid 4701 is running, has "
            "not called join; rank 3: pid 4703 ended with exit code 0)");
}

TEST(ProgressLine, describes_four_of_many) {
  const std::string line =
      progress_line(with({}), processes({running, running, running, running, running}), 2s);
  EXPECT_THAT(line, HasSubstr("0 of 5 ranks have joined after 2 s; missing: 0-4 (rank 0:"));
  EXPECT_THAT(line, HasSubstr("rank 3: pid 4703 is running, has not called join; ...)"));
  EXPECT_THAT(line, Not(HasSubstr("rank 4:")));
}

TEST(Progress, is_said_after_2_s_and_then_every_10_s) {
  const TimePoint start{};
  Progress progress(start);
  std::vector<int> said_at;
  for (int second = 0; second <= 25; ++second) {
    if (progress.due({3}, start + std::chrono::seconds{second})) said_at.push_back(second);
  }
  EXPECT_THAT(said_at, ElementsAre(2, 12, 22));
}

TEST(Progress, is_said_earlier_when_the_missing_change_but_not_more_often_than_every_2_s) {
  const TimePoint start{};
  Progress progress(start);
  EXPECT_TRUE(progress.due({3, 4}, start + 2s));
  EXPECT_FALSE(progress.due({3}, start + 3s));
  EXPECT_TRUE(progress.due({3}, start + 4s));
  EXPECT_FALSE(progress.due({3}, start + 6s));
}

TEST(Progress, says_nothing_when_nobody_is_missing) {
  const TimePoint start{};
  Progress progress(start);
  EXPECT_FALSE(progress.due({}, start + 60s));
}

}  // namespace
}  // namespace muster::tool
