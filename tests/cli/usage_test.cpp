// Command lines that are not understood: exit code 2, one line of reason, and where to read on.
#include "cli/cli.hpp"

namespace muster::cli {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;

struct Wrong {
  std::vector<std::string> arguments;
  std::string reason;
};

void PrintTo(const Wrong& wrong, std::ostream* out) {
  *out << "muster";
  for (const auto& argument : wrong.arguments) *out << ' ' << argument;
}

class Usage : public Cli, public testing::WithParamInterface<Wrong> {};

TEST_P(Usage, is_said_in_one_line) {
  const Ended ended = muster(GetParam().arguments);
  EXPECT_EQ(ended.exit_code, 2) << ended;
  EXPECT_EQ(ended.out, "");
  EXPECT_EQ(lines(ended.err).size(), 1U) << ended.err;
  EXPECT_THAT(ended.err, AllOf(HasSubstr(GetParam().reason), EndsWith(" --help\n")));
}

INSTANTIATE_TEST_SUITE_P(
    All, Usage,
    testing::Values(
        Wrong{{}, "the subcommand is missing, expected one of run"},
        Wrong{{"bogus"}, "'bogus' is no subcommand, expected one of run"},
        Wrong{{"--bogus"}, "--bogus"}, Wrong{{"run", "--", "true"}, "--ranks is required"},
        Wrong{{"run", "-n", "2"}, "the command to run is missing"},
        Wrong{{"run", "-n", "2", "true"}, "stands behind --"},
        Wrong{{"run", "-n", "0", "--", "true"}, "0"}, Wrong{{"run", "-n", "x", "--", "true"}, "x"},
        Wrong{{"run", "-n", "1", "--join-timeout", "0", "--", "true"}, "'0' is no number of sec"},
        Wrong{{"run", "-n", "1", "--grace", "-1", "--", "true"}, "-1"},
        Wrong{{"serve"}, "url is required"}, Wrong{{"kv", "a"}, "operation is required"},
        Wrong{{"kv", "a", "put", "k"}, "put"}, Wrong{{"kv", "a", "set", "k"}, "a KEY and a VALUE"},
        Wrong{{"kv", "a", "get", "k", "v"}, "get takes a KEY"},
        Wrong{{"kv", "a", "add", "k", "1x"}, "'1x'"},
        Wrong{{"kv", "a", "add", "k"}, "a KEY and a number"},
        Wrong{{"kv", "a", "cas", "k", "v"}, "EXPECTED"},
        Wrong{{"kv", "a", "cas", "k", "a", "b", "--absent"}, "EXPECTED"},
        Wrong{{"kv", "a", "mset", "k", "v", "k2"}, "pairs of KEY and VALUE"},
        Wrong{{"kv", "a", "ls", "a", "b"}, "a PREFIX or nothing"},
        Wrong{{"kv", "a", "ls", "--count", "1"}, "--count is not for ls"},
        Wrong{{"kv", "a", "rm", "k", "--wait", "1"}, "--wait is not for rm"}));

using Settings = Cli;

TEST_F(Settings, a_variable_that_makes_no_sense_is_named) {
  const Ended epoch = muster({"run", "-n", "1", "--", "true"}, {{"MUSTER_EPOCH", "beef"}});
  EXPECT_EQ(epoch.exit_code, 2) << epoch;
  EXPECT_THAT(epoch.err, HasSubstr("MUSTER_EPOCH"));
  const Ended log = muster({"run", "-n", "1", "--", "true"}, {{"MUSTER_LOG", "loud"}});
  EXPECT_EQ(log.exit_code, 2) << log;
  EXPECT_THAT(log.err, HasSubstr("MUSTER_LOG is 'loud' (expected error, warning, info or debug)"));
  const Ended beat = muster({"run", "-n", "1", "--", "true"}, {{"MUSTER_HEARTBEAT", "often"}});
  EXPECT_EQ(beat.exit_code, 2) << beat;
  EXPECT_THAT(beat.err, AllOf(HasSubstr("MUSTER_HEARTBEAT: 'often'"), HasSubstr("0 for none")));
  const Ended loss = muster({"serve", home_.unix_url(), "--on-loss", "panic"});
  EXPECT_EQ(loss.exit_code, 2) << loss;
  EXPECT_THAT(loss.err, AllOf(HasSubstr("--on-loss: 'panic'"), HasSubstr("fail_job or notify")));
  const Ended job = muster({"serve", home_.unix_url(), "--job", "../x"});
  EXPECT_EQ(job.exit_code, 2) << job;
  EXPECT_THAT(job.err, HasSubstr("--job"));
  const Ended url = muster({"serve", "http://x"});
  EXPECT_EQ(url.exit_code, 2) << url;
}

TEST_F(Settings, every_subcommand_has_help_with_examples_and_exit_codes) {
  for (const char* name : {"run", "serve", "status", "kv"}) {
    const Ended help = muster({name, "--help"});
    EXPECT_TRUE(help.well()) << help;
    EXPECT_THAT(help.out, AllOf(HasSubstr("Examples:"), HasSubstr("Exit codes:")));
  }
}

TEST_F(Settings, says_its_version) {
  EXPECT_EQ(muster({"--version"}).out.substr(0, 7), "muster ");
}

}  // namespace
}  // namespace muster::cli
