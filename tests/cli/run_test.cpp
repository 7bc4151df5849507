// `muster run` as a launcher: processes, signals, output, exit codes.
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "cli/cli.hpp"

namespace muster::cli {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::UnorderedElementsAre;

using Runs = Cli;

/// Tells its pid and lives on.
constexpr const char* tell_and_live = "echo pid $$; exec sleep 600";

TEST_F(Runs, starts_a_command_that_knows_nothing_of_muster) {
  const Ended run = muster({"run", "-n", "3", "--", "echo", "-n", "--", "hi"});
  EXPECT_TRUE(run.well()) << run;
  EXPECT_THAT(lines(run.out), UnorderedElementsAre("[0] -- hi", "[1] -- hi", "[2] -- hi"));
  EXPECT_EQ(run.err, "");
}

TEST_F(Runs, tells_each_rank_its_place) {
  const Ended run =
      muster({"run", "-n", "2", "--job", "demo", "--join-timeout", "7.5", "--", "sh", "-c",
              "echo $MUSTER_RANK of $MUSTER_SIZE, $MUSTER_JOB $MUSTER_SERVE "
              "$MUSTER_JOIN_TIMEOUT ${#MUSTER_INCARNATION} ${MUSTER_EPOCH-none} "
              "${MUSTER_OP_TIMEOUT-none}"});
  EXPECT_THAT(lines(run.out), UnorderedElementsAre("[0] 0 of 2, demo external 7.5 16 none none",
                                                   "[1] 1 of 2, demo external 7.5 16 none none"))
      << run;
}

TEST_F(Runs, hands_an_epoch_on_that_the_user_gave) {
  const std::string epoch(64, 'a');
  const Ended run =
      muster({"run", "-n", "1", "--", "printenv", "MUSTER_EPOCH"}, {{"MUSTER_EPOCH", epoch}});
  EXPECT_EQ(run.out, "[0] " + epoch + "\n") << run;
}

TEST_F(Runs, ranks_have_nothing_of_another_jobs_address) {
  const Ended run =
      muster({"run", "-n", "2", "--", program("hello")}, {{"MUSTER_UID_FILE", "/none/of/this/job"},
                                                          {"MUSTER_UID", "muster1:00"},
                                                          {"MUSTER_UID_FD", "99"},
                                                          {"MUSTER_ADVERTISE", "node7"}});
  EXPECT_TRUE(run.well()) << run;
}

TEST_F(Runs, the_status_of_a_failed_rank_is_its_own) {
  const Ended run =
      muster({"run", "-n", "3", "--", "sh", "-c", "test $MUSTER_RANK != 1 || exit 9"});
  EXPECT_EQ(run.exit_code, 9) << run;
  EXPECT_THAT(run.err, ContainsRegex("exit code 9 because rank 1 \\(pid [0-9]+\\)"));
}

TEST_F(Runs, a_command_that_is_not_there_is_said_once) {
  const Ended run = muster({"run", "-n", "4", "--", "./nothere"});
  EXPECT_EQ(run.exit_code, 127) << run;
  EXPECT_EQ(run.err, "muster run: cannot start './nothere': No such file or directory\n");
}

TEST_F(Runs, a_command_that_cannot_be_executed_ends_with_126) {
  const Ended run = muster({"run", "-n", "4", "--", "/dev/null"});
  EXPECT_EQ(run.exit_code, 126) << run;
  EXPECT_EQ(run.err, "muster run: cannot start '/dev/null': Permission denied\n");
}

TEST_F(Runs, ends_an_unfinished_last_line_of_either_output) {
  const Ended run = muster({"run", "-n", "1", "--", "sh", "-c", "printf out; printf err >&2"});
  EXPECT_EQ(run.out, "[0] out\n") << run;
  EXPECT_EQ(run.err, "[0] err\n");
}

TEST_F(Runs, passes_output_through_on_request) {
  const Ended run = muster({"run", "-n", "1", "--no-prefix", "--", "printf", "as it is"});
  EXPECT_EQ(run.out, "as it is") << run;
}

TEST_F(Runs, long_output_of_many_ranks_keeps_its_lines) {
  const Ended run = muster({"run", "-n", "4", "--", "seq", "20000"});
  EXPECT_TRUE(run.well());
  std::map<std::string, int> next{{"[0]", 1}, {"[1]", 1}, {"[2]", 1}, {"[3]", 1}};
  for (const auto& line : lines(run.out)) {
    const std::string who = line.substr(0, 3);
    ASSERT_TRUE(next.contains(who)) << line;
    ASSERT_EQ(line.substr(4), std::to_string(next[who]++));
  }
  for (const auto& [who, number] : next) EXPECT_EQ(number, 20001) << who;
}

TEST_F(Runs, rank_0_reads_the_standard_input_and_the_others_nothing) {
  Process run = start({"run", "-n", "2", "--", "sh", "-c", "read line; echo got $line"});
  run.say("something");
  run.end_input();
  EXPECT_THAT(lines(run.wait().out), UnorderedElementsAre("[0] got something", "[1] got"));
}

TEST_F(Runs, an_interrupt_ends_all_ranks_and_leaves_nothing_behind) {
  Process run = start({"run", "-n", "3", "--", "sh", "-c", tell_and_live});
  ASSERT_TRUE(run.wait_for_out("[2] pid"));
  run.send_signal(SIGINT);
  const Ended ended = run.wait();
  EXPECT_EQ(ended.exit_code, 128 + SIGINT) << ended;
  for (const pid_t pid : told_pids(ended.out)) EXPECT_TRUE(ends(pid));
  EXPECT_THAT(left_behind(), IsEmpty());
}

TEST_F(Runs, a_second_interrupt_kills_ranks_that_do_not_listen) {
  Process run = start({"run", "-n", "1", "--grace", "600", "--", "sh", "-c",
                       "trap '' TERM INT; echo pid $$; exec sleep 600"});
  ASSERT_TRUE(run.wait_for_out("pid"));
  run.send_signal(SIGTERM);
  ASSERT_TRUE(run.wait_for_err("interrupted by signal 15"));
  run.send_signal(SIGINT);
  const Ended ended = run.wait();
  EXPECT_EQ(ended.exit_code, 128 + SIGTERM) << ended;
  EXPECT_THAT(ended.err, HasSubstr("was ended by signal 9"));
}

TEST_F(Runs, ranks_that_do_not_end_after_a_failure_are_ended) {
  // Rank 1 fails only once rank 0 is deaf.
  const std::string deaf = home_.file("deaf");
  const Ended run = muster({"run", "-n", "2", "--grace", "0.3", "--", "sh", "-c",
                            "if test $MUSTER_RANK = 1; then until test -e " + deaf +
                                "; do sleep 0.01; done; exit 3; fi; trap '' TERM; : > " + deaf +
                                "; exec sleep 600"});
  EXPECT_EQ(run.exit_code, 3) << run;
  EXPECT_THAT(run.err, ContainsRegex("rank 0 \\(pid [0-9]+\\) was ended by signal 9"));
}

TEST_F(Runs, ranks_die_with_it_when_it_is_killed) {
  Process run = start({"run", "-n", "3", "--", "sh", "-c", tell_and_live});
  for (const char* who : {"[0] pid", "[1] pid", "[2] pid"}) ASSERT_TRUE(run.wait_for_out(who));
  const auto pids = told_pids(run.out());
  ASSERT_EQ(pids.size(), 3U);
  run.send_signal(SIGKILL);
  for (const pid_t pid : pids) EXPECT_TRUE(ends(pid));
}

TEST_F(Runs, killed_it_leaves_no_secret_and_the_next_leaves_nothing) {
  const std::string secret = "0123456789abcdef0123456789abcdef-not-to-be-left";
  const std::string script = home_.file("secret.sh");
  std::ofstream(script) << "MUSTER_SECRET_FD=5 exec $muster run -n 2 -- sh -c '"
                           "grep -q not-to-be-left $MUSTER_SECRET_FILE && echo pid $$; "
                           "exec sleep 1000' 5<<END\n"
                        << secret << "\nEND\n";
  Process run = shell(". " + script);
  for (const char* who : {"[0] pid", "[1] pid"}) ASSERT_TRUE(run.wait_for_out(who));
  const auto pids = told_pids(run.out());
  ASSERT_EQ(pids.size(), 2U);
  run.send_signal(SIGKILL);
  EXPECT_EQ(run.wait().signal, SIGKILL);
  for (const pid_t pid : pids) EXPECT_TRUE(ends(pid));
  std::filesystem::remove(script);
  for (const std::string& path : left_behind()) {
    if (!std::filesystem::is_regular_file(path)) continue;
    std::ifstream file(path);
    const std::string content{std::istreambuf_iterator<char>(file), {}};
    EXPECT_THAT(content, Not(HasSubstr("not-to-be-left"))) << path;
  }
  EXPECT_TRUE(muster({"run", "-n", "1", "--", "true"}).well());
  EXPECT_THAT(left_behind(), IsEmpty());
}

TEST_F(Runs, ends_when_nobody_reads_its_output) {
  Process piped = shell("{ $muster run -n 2 -- yes; echo ended with $? >&2; } | head -n 1");
  const Ended ended = piped.wait();
  EXPECT_TRUE(ended.in_time);
  EXPECT_THAT(ended.err, HasSubstr("ended with 141\n"));
}

TEST_F(Runs, works_with_its_outputs_closed) {
  Process closed = shell("$muster run -n 2 -- echo hi >&- 2>&- <&-");
  EXPECT_TRUE(closed.wait().well()) << closed.wait();
}

TEST_F(Runs, a_full_disk_ends_it) {
  Process full = shell("$muster run -n 1 -- echo hi > /dev/full");
  const Ended ended = full.wait();
  EXPECT_EQ(ended.exit_code, 141) << ended;
  EXPECT_THAT(ended.err, HasSubstr("cannot write the ranks' output: No space left on device"));
}

TEST_F(Runs, a_rank_that_ends_without_joining_is_named_to_the_others) {
  const Ended run = muster({"run", "-n", "4", "--grace", "30", "--", "sh", "-c",
                            "test $MUSTER_RANK = 2 && exit 0; exec " + program("hello")});
  EXPECT_EQ(run.exit_code, 1) << run;
  for (const char* rank : {"0", "1", "3"}) {
    EXPECT_THAT(run.err, ContainsRegex("\\[" + std::string(rank) +
                                       "\\] hello: .*rank 2 \\(host [^,]+, pid [0-9]+\\) ended "
                                       "with exit code 0 before it joined"));
  }
}

TEST_F(Runs, says_who_has_not_joined_yet_and_the_job_can_be_looked_at) {
  Process run =
      start({"run", "-n", "4", "--job", "stuck", "--", program("hello"), "--absent-rank", "3"});
  ASSERT_TRUE(run.wait_for_err("3 of 4 ranks have joined after"));
  EXPECT_THAT(run.err(), ContainsRegex("missing: 3 \\(rank 3: pid [0-9]+ is running, has not "
                                       "called join\\)"));
  // The only live job, by name, and by its file.
  const std::vector<std::vector<std::string>> ways{
      {"status"}, {"status", "stuck"}, {"status", home_.file("muster/stuck.json")}};
  for (const auto& way : ways) {
    const Ended status = muster(way);
    EXPECT_TRUE(status.well()) << status;
    EXPECT_THAT(status.out, AllOf(HasSubstr("job 'stuck' is gathering: 3 of 4 ranks are in"),
                                  HasSubstr("rank 3: absent, not joined yet")));
  }
  const Ended again = muster({"run", "-n", "1", "--job", "stuck", "--", "true"});
  EXPECT_EQ(again.exit_code, 1);
  EXPECT_THAT(again.err, HasSubstr("job 'stuck' is being served already"));
  run.send_signal(SIGINT);
  const Ended ended = run.wait();
  EXPECT_EQ(ended.exit_code, 128 + SIGINT) << ended;
  EXPECT_THAT(ended.err, HasSubstr("interrupted by signal 2"));
}

TEST_F(Runs, is_quiet_on_request) {
  Process run = start({"run", "-n", "2", "-q", "--join-timeout", "3", "--grace", "0.2", "--",
                       program("hello"), "--absent-rank", "1"});
  EXPECT_THAT(run.wait().err, Not(HasSubstr("have joined after")));
}

}  // namespace
}  // namespace muster::cli
