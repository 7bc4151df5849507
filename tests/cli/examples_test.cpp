// The examples under `muster run`, well and misbehaving.
#include "cli/cli.hpp"

namespace muster::cli {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class Examples : public Cli {
 protected:
  Ended hello(const std::string& ranks, std::vector<std::string> options,
              std::vector<std::string> arguments = {}) {
    std::vector<std::string> all{"run", "-n", ranks};
    all.insert(all.end(), options.begin(), options.end());
    all.insert(all.end(), {"--", program("hello")});
    all.insert(all.end(), arguments.begin(), arguments.end());
    return muster(all);
  }
};

/// The lines of one rank.
std::string of_rank(int rank, const std::string& text) {
  const std::string prefix = "[" + std::to_string(rank) + "] ";
  std::string own;
  for (const auto& line : lines(text)) {
    if (line.starts_with(prefix)) own += line + "\n";
  }
  return own;
}

TEST_F(Examples, hello_of_eight_ends_well_and_says_nothing_on_standard_error) {
  const Ended run = hello("8", {});
  EXPECT_TRUE(run.well()) << run;
  EXPECT_EQ(run.err, "");
  for (int rank = 0; rank < 8; ++rank) {
    const std::string who = "rank " + std::to_string(rank) + ": ";
    EXPECT_THAT(of_rank(rank, run.out),
                AllOf(HasSubstr(who + "past the gate\n"), HasSubstr(who + "left\n")));
  }
  EXPECT_THAT(left_behind(), IsEmpty());
}

TEST_F(Examples, hello_in_c_meets_its_neighbours) {
  const Ended run = muster({"run", "-n", "4", "--", program("hello_c")});
  EXPECT_TRUE(run.well()) << run;
  EXPECT_EQ(run.err, "");
  for (int rank = 0; rank < 4; ++rank) {
    EXPECT_THAT(of_rank(rank, run.out),
                HasSubstr("my neighbour is rank " + std::to_string((rank + 1) % 4)));
  }
}

TEST_F(Examples, hello_in_c_says_what_is_wrong) {
  const Ended alone = Process::run({program("hello_c")}).wait();
  EXPECT_EQ(alone.exit_code, 2);
  EXPECT_THAT(alone.err, HasSubstr("invalid_argument: no launcher has said"));
}

TEST_F(Examples, hello_of_one_is_a_job) {
  const Ended run = hello("1", {});
  EXPECT_TRUE(run.well()) << run;
}

TEST_F(Examples, ring_passes_a_block_around_unharmed) {
  const Ended run = muster({"run", "-n", "4", "--", program("ring")});
  EXPECT_TRUE(run.well()) << run;
  for (int rank = 0; rank < 4; ++rank) {
    EXPECT_THAT(of_rank(rank, run.out), HasSubstr("unharmed"));
  }
}

TEST_F(Examples, a_symmetric_heap_is_written_by_the_neighbour) {
  const Ended run = muster({"run", "-n", "4", "--", program("symmetric_heap")});
  EXPECT_TRUE(run.well()) << run;
  EXPECT_EQ(run.err, "");
  for (int rank = 0; rank < 4; ++rank) {
    const std::string neighbour = std::to_string((rank + 3) % 4);
    EXPECT_THAT(of_rank(rank, run.out), HasSubstr("rank " + neighbour + " has written here"));
  }
}

TEST_F(Examples, a_rank_that_leaves_a_malloc_out_is_told_apart_at_once) {
  const Ended run = muster(
      {"run", "-n", "4", "--grace", "5", "--", program("symmetric_heap"), "--forgetful-rank", "2"});
  EXPECT_NE(run.exit_code, 0) << run;
  for (int rank = 0; rank < 4; ++rank) {
    EXPECT_THAT(of_rank(rank, run.err),
                AllOf(HasSubstr("mismatch"), HasSubstr("malloc(4) #4"),
                      HasSubstr("all have written #4"), HasSubstr("rank 2")))
        << rank;
  }
}

TEST_F(Examples, a_rank_that_never_joins_is_named_by_all_others) {
  // The grace is for the others to report and end by themselves, however slow this build is.
  const Ended run = hello("4", {"--join-timeout", "2", "--grace", "5"}, {"--absent-rank", "2"});
  EXPECT_EQ(run.exit_code, 1) << run;
  for (const int rank : {0, 1, 3}) {
    EXPECT_THAT(of_rank(rank, run.err),
                AllOf(HasSubstr("rank_missing"), ContainsRegex("rank.* 2")));
  }
  EXPECT_THAT(run.out, Not(HasSubstr("joined job")));
}

TEST_F(Examples, a_rank_with_another_contract_stops_all_with_70) {
  const Ended run = hello("4", {}, {"--drift-rank", "1"});
  EXPECT_EQ(run.exit_code, 70) << run;
  EXPECT_THAT(run.out, Not(HasSubstr("past the gate")));
  for (int rank = 0; rank < 4; ++rank) {
    EXPECT_THAT(of_rank(rank, run.err),
                AllOf(HasSubstr("contract_mismatch"), HasSubstr("learning_rate")));
  }
}

TEST_F(Examples, a_killed_rank_is_named_with_host_and_pid_and_gives_the_exit_code) {
  const Ended run = hello("4", {}, {"--die-rank", "2"});
  EXPECT_EQ(run.exit_code, 128 + SIGKILL) << run;
  for (const int rank : {0, 1, 3}) {
    EXPECT_THAT(of_rank(rank, run.err), ContainsRegex("rank 2 \\(host [^,]+, pid [0-9]+\\)"));
  }
  EXPECT_THAT(run.err, ContainsRegex("exit code 137 because rank 2 \\(pid [0-9]+\\) was ended by "
                                     "signal 9"));
}

TEST_F(Examples, where_a_loss_is_only_told_the_others_are_not_ended) {
  // Without any grace: whoever is ended is ended at once.
  const Ended run = hello("4", {"--on-loss", "notify", "--grace", "0"}, {"--die-rank", "2"});
  EXPECT_EQ(run.exit_code, 128 + SIGKILL) << run;
  for (const int rank : {0, 1, 3}) {
    EXPECT_THAT(of_rank(rank, run.err), HasSubstr("rank_lost")) << "it could say so";
  }
  EXPECT_THAT(run.err, Not(HasSubstr("ended by signal 15")));
}

TEST_F(Examples, tell_what_is_missing_without_a_launcher) {
  Process alone = shell("exec $hello");
  const Ended ended = alone.wait();
  EXPECT_EQ(ended.exit_code, 2) << ended;
  EXPECT_THAT(ended.err, HasSubstr("not set: MUSTER_RANK MUSTER_SIZE MUSTER_URL"));
}

TEST_F(Examples, refuse_an_option_that_is_misspelt) {
  Process misspelt = shell("exec $hello --abset-rank 1");
  const Ended ended = misspelt.wait();
  EXPECT_EQ(ended.exit_code, 2) << ended;
  EXPECT_THAT(ended.err, HasSubstr("--abset-rank"));
}

}  // namespace
}  // namespace muster::cli
