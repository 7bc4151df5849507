#include <cstdlib>
#include <gmock/gmock.h>

#include <muster/join_options.hpp>

namespace muster {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using namespace std::chrono_literals;

constexpr const char* variables[] = {"MUSTER_URL",
                                     "MUSTER_RANK",
                                     "MUSTER_SECRET",
                                     "MUSTER_SIZE",
                                     "MUSTER_SERVE",
                                     "MUSTER_JOB",
                                     "MUSTER_EPOCH",
                                     "MUSTER_INCARNATION",
                                     "MUSTER_JOIN_TIMEOUT",
                                     "MUSTER_OP_TIMEOUT",
                                     "MUSTER_HEARTBEAT",
                                     "MUSTER_ON_LOSS",
                                     "MUSTER_LOG",
                                     "MUSTER_LISTEN_FD",
                                     "MUSTER_PLUGIN",
                                     "MUSTER_PORT_RANGE",
                                     "SHMEM_INSTANCE_PORT_RANGE",
                                     "OMPI_COMM_WORLD_RANK",
                                     "OMPI_COMM_WORLD_SIZE",
                                     "PMI_RANK",
                                     "PMI_SIZE",
                                     "RANK",
                                     "WORLD_SIZE",
                                     "MASTER_ADDR",
                                     "MASTER_PORT",
                                     "TORCHELASTIC_RUN_ID",
                                     "SLURM_PROCID",
                                     "SLURM_NTASKS",
                                     "SLURM_STEP_ID",
                                     "SLURM_JOB_ID",
                                     "SLURM_STEP_NODELIST",
                                     "JOB_COMPLETION_INDEX"};

class EnvironmentTest : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* variable : variables) unsetenv(variable);
    set("MUSTER_URL", "tcp://127.0.0.1:29400");
    set("MUSTER_RANK", "3");
    set("MUSTER_SIZE", "8");
  }
  void TearDown() override {
    for (const char* variable : variables) unsetenv(variable);
  }
  static void set(const char* variable, const char* value) { setenv(variable, value, 1); }
};

TEST_F(EnvironmentTest, TakesTheLeast) {
  const auto options = JoinOptions::from_environment();
  ASSERT_TRUE(options) << options.error().text();
  EXPECT_EQ(options->url, "tcp://127.0.0.1:29400");
  EXPECT_EQ(options->rank, 3U);
  EXPECT_EQ(options->size, 8U);
  EXPECT_EQ(options->serve, Serve::by_rank_0);
  EXPECT_EQ(options->join_timeout, 120s);
  EXPECT_FALSE(options->epoch);
  EXPECT_FALSE(options->listen_fd);
}

TEST_F(EnvironmentTest, TakesAll) {
  set("MUSTER_SERVE", "external");
  set("MUSTER_JOB", "train-7");
  set("MUSTER_EPOCH", std::string(64, 'a').c_str());
  set("MUSTER_INCARNATION", "00000000000000ff");
  set("MUSTER_JOIN_TIMEOUT", "2.5");
  set("MUSTER_OP_TIMEOUT", "7");
  set("MUSTER_HEARTBEAT", "0.5");
  set("MUSTER_ON_LOSS", "notify");
  set("MUSTER_LOG", "debug");
  set("MUSTER_LISTEN_FD", "5");
  const auto options = JoinOptions::from_environment();
  ASSERT_TRUE(options) << options.error().text();
  EXPECT_EQ(options->serve, Serve::external);
  EXPECT_EQ(options->job_id, "train-7");
  EXPECT_EQ(options->epoch->text(), std::string(64, 'a'));
  EXPECT_EQ(options->incarnation->number, 255U);
  EXPECT_EQ(options->join_timeout, 2500ms);
  EXPECT_EQ(options->operation_timeout, 7s);
  EXPECT_EQ(options->heartbeat, 500ms);
  EXPECT_EQ(options->on_loss, OnLoss::notify);
  EXPECT_TRUE(options->log);
  EXPECT_EQ(options->listen_fd, 5);
}

TEST_F(EnvironmentTest, AnIncompleteSetIsAnErrorThatNamesTheVariable) {
  for (const char* variable : {"MUSTER_URL", "MUSTER_RANK", "MUSTER_SIZE"}) {
    SetUp();
    unsetenv(variable);
    const auto options = JoinOptions::from_environment();
    ASSERT_FALSE(options) << variable;
    EXPECT_EQ(options.error().code, Code::invalid_argument);
    EXPECT_THAT(options.error().text(), AllOf(HasSubstr(variable), HasSubstr("not set")));
  }
}

TEST_F(EnvironmentTest, TheLauncherSaysWhatIsLeftOut) {
  unsetenv("MUSTER_RANK");
  unsetenv("MUSTER_SIZE");
  set("OMPI_COMM_WORLD_RANK", "5");
  set("OMPI_COMM_WORLD_SIZE", "6");
  const auto options = JoinOptions::from_environment();
  ASSERT_TRUE(options) << options.error().text();
  EXPECT_EQ(options->rank, 5U);
  EXPECT_EQ(options->size, 6U);
  EXPECT_EQ(options->url, "tcp://127.0.0.1:29400");
  EXPECT_EQ(options->url_origin, "");
}

TEST_F(EnvironmentTest, TheLauncherSaysWhereAndForWhichJob) {
  for (const char* own : {"MUSTER_URL", "MUSTER_RANK", "MUSTER_SIZE"}) unsetenv(own);
  set("RANK", "1");
  set("WORLD_SIZE", "2");
  set("MASTER_ADDR", "node0");
  set("MASTER_PORT", "29500");
  set("TORCHELASTIC_RUN_ID", "run7");
  auto options = JoinOptions::from_environment();
  ASSERT_TRUE(options) << options.error().text();
  EXPECT_EQ(options->url, "tcp://node0:29501");
  EXPECT_THAT(options->url_origin, HasSubstr("MASTER_PORT"));
  EXPECT_EQ(options->job_id, "run7");
  set("MUSTER_JOB", "mine");
  EXPECT_EQ(JoinOptions::from_environment()->job_id, "mine");
  unsetenv("MUSTER_JOB");
  set("MUSTER_SERVE", "external");
  EXPECT_EQ(JoinOptions::from_environment()->job_id, "") << "the server outside has its own";
}

TEST_F(EnvironmentTest, WhatMusterIsToldLeavesTheLauncherUnasked) {
  set("PMI_RANK", "nonsense");
  set("PMI_SIZE", "1");
  const auto options = JoinOptions::from_environment();
  ASSERT_TRUE(options) << options.error().text();
  EXPECT_EQ(options->rank, 3U);
}

TEST_F(EnvironmentTest, WithAPluginNobodyElseIsAskedForRankAndSize) {
  for (const char* variable : variables) unsetenv(variable);
  set("MUSTER_PLUGIN", "mpi");
  set("OMPI_COMM_WORLD_RANK", "no number");
  const auto options = JoinOptions::from_environment();
  ASSERT_TRUE(options) << options.error().text();
  EXPECT_EQ(options->plugin, "mpi");
  EXPECT_FALSE(options->rank || options->size);
  EXPECT_EQ(options->url, "");
  JoinOptions given;
  given.plugin = "other";
  EXPECT_EQ(JoinOptions::from_environment(given).value().plugin, "other");
}

TEST_F(EnvironmentTest, WhatTheProgramGivesStays) {
  set("MUSTER_URL", "nonsense");
  set("MUSTER_RANK", "nonsense");
  set("MUSTER_JOB", "theirs");
  set("MUSTER_PORT_RANGE", "nonsense");
  JoinOptions given;
  given.url = "tcp://127.0.0.1:1";
  given.rank = 7;
  given.job_id = "mine";
  given.port_range = PortRange{1, 2};
  const auto options = JoinOptions::from_environment(given);
  ASSERT_TRUE(options) << options.error().text();
  EXPECT_EQ(options->url, "tcp://127.0.0.1:1");
  EXPECT_EQ(options->rank, 7U);
  EXPECT_EQ(options->size, 8U);
  EXPECT_EQ(options->job_id, "mine");
  EXPECT_EQ(options->port_range, (PortRange{1, 2}));
}

TEST_F(EnvironmentTest, TheReferencesNameOfThePortRangeIsUnderstoodAndComesSecond) {
  set("SHMEM_INSTANCE_PORT_RANGE", "100:200");
  EXPECT_EQ(JoinOptions::from_environment()->port_range, (PortRange{100, 200}));
  set("MUSTER_PORT_RANGE", "300:400");
  EXPECT_EQ(JoinOptions::from_environment()->port_range, (PortRange{300, 400}));
}

struct Bad {
  const char* variable;
  const char* value;
};
class BadEnvironment : public EnvironmentTest, public testing::WithParamInterface<Bad> {};

TEST_P(BadEnvironment, IsNeverADefault) {
  set(GetParam().variable, GetParam().value);
  const auto options = JoinOptions::from_environment();
  ASSERT_FALSE(options);
  EXPECT_EQ(options.error().code, Code::invalid_argument);
  EXPECT_THAT(options.error().text(),
              AllOf(HasSubstr(GetParam().variable), HasSubstr(GetParam().value)));
  EXPECT_FALSE(options.error().advice.empty());
  EXPECT_EQ(options.error().exit_code, 2);
}

INSTANTIATE_TEST_SUITE_P(
    Values, BadEnvironment,
    testing::Values(Bad{"MUSTER_URL", "127.0.0.1:29400"}, Bad{"MUSTER_RANK", "8"},
                    Bad{"MUSTER_SIZE", "3"}, Bad{"MUSTER_RANK", "-1"}, Bad{"MUSTER_RANK", "three"},
                    Bad{"MUSTER_RANK", "3 "}, Bad{"MUSTER_RANK", "0x3"},
                    Bad{"MUSTER_SIZE", "4294967296"}, Bad{"MUSTER_SERVE", "rank1"},
                    Bad{"MUSTER_JOB", "../x"}, Bad{"MUSTER_EPOCH", "abc"},
                    Bad{"MUSTER_INCARNATION", "0000000000000000"}, Bad{"MUSTER_JOIN_TIMEOUT", "0"},
                    Bad{"MUSTER_JOIN_TIMEOUT", "-1"}, Bad{"MUSTER_JOIN_TIMEOUT", "nan"},
                    Bad{"MUSTER_JOIN_TIMEOUT", "inf"}, Bad{"MUSTER_OP_TIMEOUT", "5s"},
                    Bad{"MUSTER_OP_TIMEOUT", "1e300"}, Bad{"MUSTER_LOG", "loud"},
                    Bad{"MUSTER_HEARTBEAT", "-1"}, Bad{"MUSTER_HEARTBEAT", "0.001"},
                    Bad{"MUSTER_ON_LOSS", "panic"}, Bad{"MUSTER_LISTEN_FD", "-1"},
                    Bad{"MUSTER_PORT_RANGE", "7"}, Bad{"SHMEM_INSTANCE_PORT_RANGE", "9:8"}));

TEST_F(EnvironmentTest, ARankMayBeLeftToTheServer) {
  set("MUSTER_URL", "tcp://127.0.0.1:29400");
  set("MUSTER_RANK", "any");
  set("MUSTER_SIZE", "4");
  set("MUSTER_SERVE", "external");
  const auto options = JoinOptions::from_environment();
  ASSERT_TRUE(options) << options.error().text();
  EXPECT_TRUE(options->assign_rank);
  EXPECT_FALSE(options->rank);
}

TEST_F(EnvironmentTest, ASecretIsTakenUnlessTheProgramHasOne) {
  set("MUSTER_URL", "tcp://127.0.0.1:29400");
  set("MUSTER_RANK", "1");
  set("MUSTER_SIZE", "4");
  set("MUSTER_SECRET", std::string(40, 's').c_str());
  EXPECT_EQ(JoinOptions::from_environment()->credentials.secret->bytes().size(), 40U);
  JoinOptions given;
  given.credentials.secret = Secret::random();
  EXPECT_EQ(JoinOptions::from_environment(given)->credentials.secret->bytes().size(), 32U);
}

TEST_F(EnvironmentTest, AUniqueIdStandsForTheAddressAndIsServedElsewhere) {
  const UniqueId id = UniqueId::create({.session_id = "127.0.0.1:0"}).value();
  id.release();
  set("MUSTER_UID", id.text().c_str());
  EXPECT_THAT(JoinOptions::from_environment().error().text(),
              HasSubstr("MUSTER_URL is set, and a unique id"));
  unsetenv("MUSTER_URL");
  auto options = JoinOptions::from_environment();
  ASSERT_TRUE(options) << options.error().text();
  EXPECT_EQ(options->unique_id->url(), id.url());
  EXPECT_EQ(options->url, "");
  EXPECT_EQ(options->serve, Serve::external);
  set("MUSTER_SERVE", "rank0");
  EXPECT_EQ(JoinOptions::from_environment()->serve, Serve::by_rank_0);
  set("MUSTER_UID", "muster1:00");
  EXPECT_THAT(JoinOptions::from_environment().error().text(),
              HasSubstr("MUSTER_UID: the unique id is cut off"));
  unsetenv("MUSTER_UID");
}

TEST_F(EnvironmentTest, AnIdInTheProgramNeedsNoAddress) {
  unsetenv("MUSTER_URL");
  const UniqueId id = UniqueId::create({.session_id = "127.0.0.1:0"}).value();
  id.release();
  JoinOptions given;
  given.unique_id = id;
  const auto options = JoinOptions::from_environment(given);
  ASSERT_TRUE(options) << options.error().text();
  EXPECT_EQ(options->rank, 3U);
  EXPECT_EQ(options->serve, Serve::by_rank_0);
}

TEST_F(EnvironmentTest, SaysWhatToAdvertise) {
  set("MUSTER_ADVERTISE", "node7:4711");
  EXPECT_EQ(JoinOptions::from_environment()->advertise, "node7:4711");
  unsetenv("MUSTER_ADVERTISE");
}

TEST_F(EnvironmentTest, ASocketBySystemdIsForWhoServes) {
  set("LISTEN_PID", std::to_string(getpid()).c_str());
  set("LISTEN_FDS", "2");
  EXPECT_EQ(JoinOptions::from_environment()->listen_fd, std::nullopt) << "rank 3";
  set("MUSTER_RANK", "0");
  EXPECT_THAT(JoinOptions::from_environment().error().text(), HasSubstr("LISTEN_FDS is '2'"));
  set("MUSTER_LISTEN_FD", "9");
  EXPECT_EQ(JoinOptions::from_environment()->listen_fd, 9);
  unsetenv("LISTEN_PID");
  unsetenv("LISTEN_FDS");
}

}  // namespace
}  // namespace muster
