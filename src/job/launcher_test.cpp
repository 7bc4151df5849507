#include "job/launcher.hpp"

#include <gmock/gmock.h>
#include <map>

namespace muster {
namespace {

using testing::AllOf;
using testing::HasSubstr;

using Set = std::map<std::string, std::string>;

Result<Launched> ask(const Set& set, Known known = {}) {
  const auto look_up = [&](const char* variable) -> std::optional<std::string_view> {
    const auto found = set.find(variable);
    if (found == set.end()) return std::nullopt;
    return found->second;
  };
  return ask_launcher(look_up, known);
}

const Set torchrun{{"RANK", "1"},
                   {"WORLD_SIZE", "4"},
                   {"MASTER_ADDR", "node0"},
                   {"MASTER_PORT", "29500"},
                   {"TORCHELASTIC_RUN_ID", "run7"}};
const Set open_mpi{{"OMPI_COMM_WORLD_RANK", "1"}, {"OMPI_COMM_WORLD_SIZE", "4"}};
const Set pmi{{"PMI_RANK", "1"}, {"PMI_SIZE", "4"}};
const Set slurm{{"SLURM_PROCID", "1"},
                {"SLURM_NTASKS", "4"},
                {"SLURM_STEP_ID", "2"},
                {"SLURM_STEP_NODELIST", "node[003-005,9],x"},
                {"SLURM_JOB_ID", "1"}};
const Set kubernetes{{"JOB_COMPLETION_INDEX", "1"}};

/// `change` wins; an empty value is as good as none.
Set operator+(Set set, const Set& change) {
  for (const auto& [variable, value] : change) set[variable] = value;
  return set;
}

Known size_4() {
  return {.rank = {}, .size = 4};
}
Known address() {
  return {.rank = {}, .size = {}, .address = true};
}

/// "1 of 4 at tcp://node0:29400 as run7".
std::string place(const Set& set, Known known = {}) {
  const auto launched = ask(set, known);
  if (!launched) return launched.error().text();
  std::string text = std::to_string(launched->rank) + " of " + std::to_string(launched->size);
  if (!launched->url.empty()) text += " at " + launched->url;
  if (!launched->job_id.empty()) text += " as " + launched->job_id;
  return text;
}

/// What is said about a set that is wrong.
std::string complaint(const Set& set, Known known = {}) {
  const auto launched = ask(set, known);
  if (launched) return "nothing: " + place(set, known);
  EXPECT_EQ(launched.error().code, Code::invalid_argument);
  EXPECT_EQ(launched.error().exit_code, 2);
  EXPECT_FALSE(launched.error().advice.empty());
  return launched.error().text();
}

TEST(Launcher, EachIsUnderstood) {
  EXPECT_EQ(place(torchrun), "1 of 4 at tcp://node0:29501 as run7");
  EXPECT_EQ(place(open_mpi, address()), "1 of 4");
  EXPECT_EQ(place(pmi, address()), "1 of 4");
  EXPECT_EQ(place(slurm), "1 of 4 at tcp://node003:20543 as 1.2");
  EXPECT_EQ(place(slurm, address()), "1 of 4 as 1.2");
  EXPECT_EQ(place(kubernetes, {.rank = {}, .size = 4, .address = true}), "1 of 4");
}

TEST(Launcher, SaysWhereItsAddressIsFrom) {
  EXPECT_THAT(ask(slurm)->url_origin, HasSubstr("SLURM_STEP_NODELIST"));
  EXPECT_THAT(ask(torchrun)->url_origin, HasSubstr("MASTER_ADDR"));
  EXPECT_EQ(ask(torchrun, address())->url_origin, "");
}

TEST(Launcher, WhatIsKnownWins) {
  EXPECT_EQ(place(torchrun, {.rank = 3, .size = {}}), "3 of 4 at tcp://node0:29501 as run7");
  EXPECT_EQ(place(torchrun, {.rank = {}, .size = 2}), "1 of 2 at tcp://node0:29501 as run7");
  EXPECT_EQ(place(torchrun, {.rank = 3, .size = 9}), "3 of 9 at tcp://node0:29501");
  EXPECT_EQ(place(slurm, {.rank = 1, .size = 4}), "1 of 4 at tcp://node003:20543 as 1.2");
  EXPECT_EQ(place({}, {.rank = 1, .size = 4, .address = true}), "1 of 4");
}

TEST(Launcher, AJobOfOneNeedsNoAddress) {
  EXPECT_EQ(place({{"PMI_RANK", "0"}, {"PMI_SIZE", "1"}}), "0 of 1 at tcp://127.0.0.1:0");
  EXPECT_EQ(place({}, {.rank = 0, .size = 1}), "0 of 1 at tcp://127.0.0.1:0");
}

TEST(Launcher, SeveralWithoutAnAddressAreAnErrorThatSaysWhatToSet) {
  for (const Set& set : {open_mpi, pmi}) {
    EXPECT_THAT(complaint(set),
                AllOf(HasSubstr("MUSTER_URL is not set"), HasSubstr(set.begin()->first),
                      HasSubstr("4 ranks"), HasSubstr("MUSTER_UID_FILE")));
  }
  EXPECT_THAT(complaint(kubernetes, size_4()),
              AllOf(HasSubstr("JOB_COMPLETION_INDEX"), HasSubstr("MUSTER_URL is not set")));
  EXPECT_THAT(complaint({}, {.rank = 0, .size = 2}),
              AllOf(HasSubstr("MUSTER_RANK"), HasSubstr("MUSTER_URL is not set")));
}

TEST(Launcher, NobodyHasSaidAnything) {
  EXPECT_THAT(complaint({}), AllOf(HasSubstr("not set: MUSTER_RANK MUSTER_SIZE MUSTER_URL"),
                                   HasSubstr("muster run")));
  EXPECT_THAT(complaint({}, {.rank = 0, .size = {}, .address = true}),
              HasSubstr("not set: MUSTER_SIZE ("));
}

struct Wrong {
  Set set;
  std::vector<std::string> said;
};

TEST(Launcher, HalfASetNamesWhatIsMissing) {
  const Wrong all[] = {
      {torchrun + Set{{"WORLD_SIZE", ""}}, {"RANK is set", "WORLD_SIZE is not set"}},
      {open_mpi + Set{{"OMPI_COMM_WORLD_SIZE", ""}}, {"OMPI_COMM_WORLD_SIZE is not set"}},
      {pmi + Set{{"PMI_SIZE", ""}}, {"PMI_RANK is set", "PMI_SIZE is not set"}},
      {slurm + Set{{"SLURM_STEP_ID", ""}}, {"SLURM_STEP_ID is not set", "srun"}},
      {slurm + Set{{"SLURM_STEP_NODELIST", ""}}, {"SLURM_STEP_NODELIST is not set"}},
      {slurm + Set{{"SLURM_JOB_ID", ""}}, {"SLURM_JOB_ID is not set"}},
      {torchrun + Set{{"MASTER_PORT", ""}}, {"MASTER_ADDR is set", "MASTER_PORT is not set"}},
      {torchrun + Set{{"MASTER_ADDR", ""}}, {"MASTER_PORT is set", "MASTER_ADDR is not set"}},
      {kubernetes, {"JOB_COMPLETION_INDEX is set", "MUSTER_SIZE"}},
  };
  for (const Wrong& one : all) {
    for (const std::string& said : one.said) EXPECT_THAT(complaint(one.set), HasSubstr(said));
  }
}

/// What Slurm 22.05 sets where nobody has started the ranks that it counts.
TEST(Launcher, ATaskThatIsNotOneOfManyIsNoStepOfMany) {
  const Set shell_of_salloc{{"SLURM_PROCID", "0"},           {"SLURM_NTASKS", "4"},
                            {"SLURM_STEP_ID", "4294967290"}, {"SLURM_STEP_NUM_TASKS", "1"},
                            {"SLURM_STEP_NODELIST", "n1"},   {"SLURM_JOB_ID", "25"}};
  const Set script_submitted_by_a_task{{"SLURM_PROCID", "0"},         {"SLURM_NTASKS", "2"},
                                       {"SLURM_STEP_ID", "0"},        {"SLURM_STEP_NUM_TASKS", "1"},
                                       {"SLURM_STEP_NODELIST", "n1"}, {"SLURM_JOB_ID", "23"}};
  for (const Set& set : {shell_of_salloc, script_submitted_by_a_task}) {
    EXPECT_THAT(complaint(set), AllOf(HasSubstr("SLURM_STEP_NUM_TASKS is 1, but SLURM_NTASKS is"),
                                      HasSubstr("start the ranks with srun")));
    EXPECT_EQ(place(set + Set{{"PMI_RANK", "1"}, {"PMI_SIZE", "2"}}, address()), "1 of 2")
        << "mpiexec of fewer ranks than the allocation has room for";
  }
  EXPECT_EQ(place(slurm + Set{{"SLURM_STEP_NUM_TASKS", "4"}}),
            "1 of 4 at tcp://node003:20543 as 1.2");
}

TEST(Launcher, WhereAUsersOwnOrderOfHostsBeginsSlurmDoesNotSay) {
  const Set arbitrary = slurm + Set{{"SLURM_DISTRIBUTION", "arbitrary"}};
  EXPECT_THAT(complaint(arbitrary), AllOf(HasSubstr("SLURM_DISTRIBUTION is arbitrary"),
                                          HasSubstr("node[003-005,9],x"), HasSubstr("MUSTER_URL")));
  EXPECT_EQ(place(arbitrary, address()), "1 of 4 as 1.2");
  EXPECT_EQ(place(arbitrary + Set{{"SLURM_STEP_NODELIST", "n1"}}),
            "1 of 4 at tcp://n1:20543 as 1.2")
      << "there is one host only";
}

TEST(Launcher, AJobThatIsQueuedAgainHasAnotherName) {
  EXPECT_EQ(place(slurm + Set{{"SLURM_RESTART_COUNT", "0"}}, address()), "1 of 4 as 1.2");
  EXPECT_EQ(place(slurm + Set{{"SLURM_RESTART_COUNT", "3"}}, address()), "1 of 4 as 1.2.3");
  EXPECT_THAT(complaint(slurm + Set{{"SLURM_RESTART_COUNT", "x"}}),
              HasSubstr("SLURM_RESTART_COUNT is 'x'"));
}

/// Each of torchrun's agents counts what it had to restart itself: ranks of one start of a job were
/// seen with 0 and 1.
TEST(Launcher, TorchrunsRestartsAreCountedByNodeAndSayNothingAboutTheJob) {
  const auto after = [](const char* restarts) {
    return torchrun + Set{{"TORCHELASTIC_RESTART_COUNT", restarts}};
  };
  EXPECT_EQ(place(after("0")), place(after("1")));
}

TEST(Launcher, WhatCannotBeParsedNamesTheVariableAndTheValue) {
  const Wrong all[] = {
      {torchrun + Set{{"RANK", "one"}}, {"RANK is 'one'"}},
      {torchrun + Set{{"WORLD_SIZE", "-4"}}, {"WORLD_SIZE is '-4'"}},
      {torchrun + Set{{"RANK", "4"}}, {"RANK is '4'", "WORLD_SIZE, which is 4"}},
      {torchrun + Set{{"MASTER_PORT", "http"}}, {"MASTER_PORT is 'http'"}},
      {torchrun + Set{{"MASTER_ADDR", "a b"}}, {"MASTER_ADDR", "a b"}},
      {torchrun + Set{{"MASTER_PORT", "0"}}, {"MASTER_PORT is '0'"}},
      {torchrun + Set{{"MASTER_PORT", "65535"}}, {"MASTER_PORT is '65535'", "65534"}},
      {torchrun + Set{{"TORCHELASTIC_RUN_ID", "a b"}}, {"TORCHELASTIC_RUN_ID", "a b"}},
      {open_mpi + Set{{"OMPI_COMM_WORLD_SIZE", "4x"}}, {"OMPI_COMM_WORLD_SIZE is '4x'"}},
      {pmi + Set{{"PMI_RANK", "4294967296"}}, {"PMI_RANK is '4294967296'"}},
      {slurm + Set{{"SLURM_PROCID", "x"}}, {"SLURM_PROCID is 'x'"}},
      {slurm + Set{{"SLURM_STEP_NODELIST", "n[1"}}, {"SLURM_STEP_NODELIST is 'n[1'", "MUSTER_URL"}},
      {slurm + Set{{"SLURM_JOB_ID", "x"}}, {"SLURM_JOB_ID is 'x'"}},
      {pmi + Set{{"PMI_RANK", "0"}, {"PMI_SIZE", "0"}},
       {"PMI_SIZE is '0'", "expected 1 to 1000000"}},
  };
  for (const Wrong& one : all) {
    for (const std::string& said : one.said) EXPECT_THAT(complaint(one.set), HasSubstr(said));
  }
}

TEST(Launcher, WhoeverStartsRanksWinsOverWhoStartsNodes) {
  const Set two_agents{{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "2"}};
  EXPECT_EQ(place(torchrun + slurm + two_agents), "1 of 4 at tcp://node0:29501 as run7");
  EXPECT_EQ(place(open_mpi + slurm + two_agents, address()), "1 of 4");
  EXPECT_EQ(place(torchrun + Set{{"JOB_COMPLETION_INDEX", "3"}}, size_4()),
            "1 of 4 at tcp://node0:29501 as run7");
  EXPECT_THAT(complaint(open_mpi + slurm + two_agents), HasSubstr("MUSTER_URL is not set"))
      << "the ranks of a launcher within a step need not begin on its first host";
}

TEST(Launcher, TheStepsAddressIsForWhoAgreesWithTheStep) {
  EXPECT_EQ(place(pmi + slurm), "1 of 4 at tcp://node003:20543 as 1.2");
  EXPECT_EQ(place(torchrun + slurm), "1 of 4 at tcp://node0:29501 as run7")
      << "where its ranks are only torchrun knows";
  const Set master{{"MASTER_ADDR", "x"}, {"MASTER_PORT", "1"}};
  EXPECT_EQ(place(slurm + master), "1 of 4 at tcp://node003:20543 as 1.2");
  EXPECT_EQ(place(open_mpi + master), "1 of 4 at tcp://x:2");
}

TEST(Launcher, ThoseWhoContradictEachOtherAreBothNamed) {
  EXPECT_THAT(
      complaint(open_mpi + pmi + Set{{"PMI_RANK", "2"}}),
      AllOf(HasSubstr("Open MPI (OMPI_COMM_WORLD_RANK, OMPI_COMM_WORLD_SIZE) says rank 1 "
                      "of 4"),
            HasSubstr("PMI (PMI_RANK, PMI_SIZE) says rank 2 of 4"), HasSubstr("MUSTER_RANK")));
  EXPECT_THAT(complaint(torchrun + open_mpi + Set{{"WORLD_SIZE", "2"}}),
              AllOf(HasSubstr("torchrun"), HasSubstr("Open MPI")));
  EXPECT_EQ(place(torchrun + open_mpi + pmi), "1 of 4 at tcp://node0:29501 as run7");
}

/// Variables left in a shell would make each task a job of its own.
TEST(Launcher, FewerRanksThanTasksIsAContradiction) {
  EXPECT_THAT(complaint(slurm + Set{{"RANK", "0"}, {"WORLD_SIZE", "1"}}),
              AllOf(HasSubstr("torchrun"), HasSubstr("Slurm"), HasSubstr("rank 0 of 1")));
}

TEST(Launcher, HalfASetIsForgivenIfAnotherIsWhole) {
  EXPECT_EQ(place(slurm + Set{{"RANK", "7"}}), "1 of 4 at tcp://node003:20543 as 1.2");
  EXPECT_EQ(place(open_mpi + slurm + Set{{"SLURM_STEP_ID", ""}, {"SLURM_PROCID", "0"}}, address()),
            "1 of 4")
      << "mpirun in a batch script";
}

TEST(Launcher, WhatTorchrunCallsNoneIsNoName) {
  EXPECT_EQ(place(torchrun + Set{{"TORCHELASTIC_RUN_ID", "none"}}), "1 of 4 at tcp://node0:29501");
}

TEST(Launcher, AnIpv6MasterGetsItsBrackets) {
  EXPECT_EQ(ask(torchrun + Set{{"MASTER_ADDR", "fd00::1"}})->url, "tcp://[fd00::1]:29501");
  EXPECT_EQ(ask(torchrun + Set{{"MASTER_ADDR", "[fd00::1]"}})->url, "tcp://[fd00::1]:29501");
}

}  // namespace
}  // namespace muster
