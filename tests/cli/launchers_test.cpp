// Ranks started by launchers that are installed here; those that are not are left out.

#include <string>
#include <unistd.h>
#include <vector>

#include "cli/cli.hpp"
#include "support/ports.hpp"

namespace muster::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;

struct Launcher {
  const char* file;
  std::vector<std::string> words;
  const char* variable;
};

class LaunchersTest : public testing::TestWithParam<Launcher> {
 protected:
  void SetUp() override {
    if (::access(GetParam().file, X_OK) != 0) GTEST_SKIP() << "no " << GetParam().file;
  }
  static Ended launch(const std::string& url) {
    std::vector<std::string> words{GetParam().file};
    words.insert(words.end(), GetParam().words.begin(), GetParam().words.end());
    words.push_back(program("hello"));
    Process process = Process::run(words, {{"MUSTER_URL", url},
                                           {"OMPI_ALLOW_RUN_AS_ROOT", "1"},
                                           {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"}});
    return process.wait();
  }
};

TEST_P(LaunchersTest, TellsTheRanksTheirPlace) {
  const Ended ended = launch(support::closed_port().url);
  EXPECT_TRUE(ended.well()) << ended;
  for (const char* rank : {"rank 0: ", "rank 1: ", "rank 2: "}) {
    EXPECT_THAT(ended.out, HasSubstr(std::string(rank) + "joined job"));
  }
  EXPECT_THAT(ended.out, HasSubstr(" of 3"));
}

TEST_P(LaunchersTest, WithoutAnAddressIsAnErrorThatSaysWhatToSet) {
  const Ended ended = launch("");
  EXPECT_FALSE(ended.well());
  EXPECT_THAT(ended.err, AllOf(HasSubstr("MUSTER_URL"), HasSubstr(GetParam().variable)));
}

INSTANTIATE_TEST_SUITE_P(Installed, LaunchersTest,
                         testing::Values(Launcher{"/usr/bin/mpirun.openmpi",
                                                  {"--oversubscribe", "-n", "3"},
                                                  "OMPI_COMM_WORLD_RANK"},
                                         Launcher{
                                             "/usr/bin/mpiexec.mpich", {"-n", "3"}, "PMI_RANK"}));

/// A rank as torchrun starts it, if the port behind torch's own is that of `port`.
Process torch_rank(const support::Port& port, int rank) {
  const int number = std::stoi(port.url.substr(port.url.rfind(':') + 1));
  return Process::run({program("hello")}, {{"RANK", std::to_string(rank)},
                                           {"WORLD_SIZE", "2"},
                                           {"MASTER_ADDR", "127.0.0.1"},
                                           {"MASTER_PORT", std::to_string(number - 1)},
                                           {"TORCHELASTIC_RUN_ID", "run7"}});
}

TEST(Torchrun, RanksMeetAtThePortBehindTorchsOwn) {
  const support::Port port = support::closed_port();
  Process zero = torch_rank(port, 0);
  Process one = torch_rank(port, 1);
  for (Process* rank : {&zero, &one}) {
    const Ended ended = rank->wait();
    EXPECT_TRUE(ended.well()) << ended;
    EXPECT_THAT(ended.out, HasSubstr("joined job run7 of 2"));
  }
}

TEST(Torchrun, WhenThatPortIsTakenTheErrorSaysWhatItIsAndWhatToSet) {
  const Ended ended = torch_rank(support::listening_port(), 0).wait();
  EXPECT_EQ(ended.exit_code, 1);
  EXPECT_THAT(ended.err, AllOf(HasSubstr("ddress already in use"), HasSubstr("MASTER_PORT"),
                               HasSubstr("set MUSTER_URL")));
}

}  // namespace
}  // namespace muster::cli
