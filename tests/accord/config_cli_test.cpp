/// `muster config` as a user runs it; its answers are tested beside its source.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "paths/paths.hpp"
#include "support/process.hpp"

namespace muster {
namespace {

using support::Ended;
using support::Process;
using testing::HasSubstr;

const std::string program = paths::program("muster");

std::vector<std::string> fingerprint(const std::string& interval) {
  std::string epoch;
  while (epoch.size() < 64) epoch += "f332";
  return {program,      "config", "fingerprint", "--profile", "f332",     "--epoch", epoch,
          "--interval", interval, "--timeout",   "0.4",       "--jitter", "0.1"};
}

TEST(ConfigCommand, AnswersInOneLine) {
  const Ended ended = Process::run(fingerprint("0.12")).wait();
  EXPECT_TRUE(ended.well()) << ended;
  EXPECT_EQ(ended.out, "776bc9da6db7e0bc761c601280a75eee31c1bc3ee392aa759e2b9b4288ac9a94\n");
  EXPECT_EQ(ended.err, "");
}

TEST(ConfigCommand, ARefusedValueIsAUsageError) {
  const Ended ended = Process::run(fingerprint("-1e-9")).wait();
  EXPECT_EQ(ended.exit_code, 2) << ended;
  EXPECT_EQ(ended.out, "");
  EXPECT_THAT(ended.err, HasSubstr("interval -1e-09 is negative"));
}

TEST(ConfigCommand, AMissingOptionIsAUsageError) {
  const Ended ended = Process::run({program, "config", "schedule"}).wait();
  EXPECT_EQ(ended.exit_code, 2) << ended;
  EXPECT_THAT(ended.err, HasSubstr("is required"));
  EXPECT_EQ(Process::run({program, "config"}).wait().exit_code, 2);
}

TEST(ConfigCommand, OutputThatCannotBeWrittenIsAFailure) {
  std::vector<std::string> command{"sh", "-c", "exec \"$@\" >/dev/full", "sh"};
  for (const std::string& word : fingerprint("0.12")) command.push_back(word);
  const Ended ended = Process::run(command).wait();
  EXPECT_EQ(ended.exit_code, 1) << ended;
  EXPECT_THAT(ended.err, HasSubstr("cannot write the output: No space left"));
}

}  // namespace
}  // namespace muster
