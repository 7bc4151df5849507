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

}  // namespace
}  // namespace muster::cli
