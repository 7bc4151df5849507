// Jobs with a secret, served and reached by the command.
#include <fcntl.h>
#include <fstream>
#include <sys/stat.h>

#include "cli/cli.hpp"

namespace muster::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using Variables = std::map<std::string, std::string>;

const std::string the_secret = "0123456789abcdef0123456789abcdef-not-to-be-shown";

class Protected : public Cli {
 protected:
  /// A file of that mode which holds `text`.
  std::string file(const std::string& name, const std::string& text, mode_t mode = 0600) {
    const std::string path = home_.path() / name;
    std::ofstream(path) << text << "\n";
    EXPECT_EQ(::chmod(path.c_str(), mode), 0);
    return path;
  }
  Process serve(const Variables& variables) {
    Process server = start({"serve", "tcp://127.0.0.1:0", "--size", "2"}, variables);
    EXPECT_TRUE(server.wait_for_out("\n"));
    url_ = lines(server.out()).front();
    return server;
  }
  Process rank(const std::string& number, Variables variables) {
    variables.merge(Variables{{"MUSTER_URL", url_},
                              {"MUSTER_SERVE", "external"},
                              {"MUSTER_RANK", number},
                              {"MUSTER_SIZE", "2"}});
    return Process::run({program("hello")}, variables);
  }
  std::string url_;
};

TEST_F(Protected, AServedJobLetsInWhoHasTheSecret) {
  const Variables with{{"MUSTER_SECRET_FILE", file("secret", the_secret)}};
  Process server = serve(with);
  const Ended stranger = muster({"status", url_});
  EXPECT_EQ(stranger.exit_code, 1);
  EXPECT_THAT(stranger.err, HasSubstr("asks for its secret, and you have none"));
  const Ended wrong = muster({"kv", url_, "get", "k"}, {{"MUSTER_SECRET", std::string(40, 'x')}});
  EXPECT_EQ(wrong.exit_code, 1);
  EXPECT_THAT(wrong.err, HasSubstr("do not hold this job's secret"));
  EXPECT_TRUE(muster({"status", url_}, with).well());
  EXPECT_TRUE(muster({"kv", url_, "set", "k", "v"}, {{"MUSTER_SECRET", the_secret}}).well());

  Process first = rank("any", with);
  Process second = rank("any", with);
  for (Process* each : {&first, &second}) {
    const Ended ended = each->wait();
    EXPECT_TRUE(ended.well()) << ended;
    EXPECT_THAT(ended.out + ended.err, Not(HasSubstr(the_secret)));
  }
  const Ended ended = server.wait();
  EXPECT_TRUE(ended.well()) << ended;
  EXPECT_THAT(ended.out + ended.err, Not(HasSubstr(the_secret)));
}

TEST_F(Protected, RunPassesTheSecretOnToItsRanks) {
  for (const char* how :
       {"MUSTER_SECRET_FILE=$file", "MUSTER_SECRET=$(cat $file)", "MUSTER_SECRET_FD=5"}) {
    const std::string path = file("secret", the_secret);
    const Ended ended =
        shell("file=" + path + "; env " + how + " $muster run -n 3 -- $hello 5<$file").wait();
    EXPECT_TRUE(ended.well()) << how << ": " << ended;
    EXPECT_THAT(ended.out + ended.err, Not(HasSubstr(the_secret))) << how;
  }
}

TEST_F(Protected, ASecretOfADescriptorReachesTheRanksByteForByte) {
  using namespace std::string_literals;
  // The second ends in a newline of its own: only the file's, behind it, does not count.
  for (const std::string& secret :
       {"0123456789abcdef\0not to be cut off here\0"s, "0123456789abcdef0123456789abcdef\n"s}) {
    const std::string path = file("secret", secret);
    const std::string got = home_.path() / "got";
    const Ended ended =
        shell("secret=" + path + "; got=" + got +
              "; MUSTER_SECRET_FD=5 $muster run -n 1 -- sh -c '"
              "stat -L -c %a \"$MUSTER_SECRET_FILE\"; cat \"$MUSTER_SECRET_FILE\" >" +
              got + "; echo ${MUSTER_SECRET-none} ${MUSTER_SECRET_FD-none}; " + "exec " +
              program("hello") + "' 5<$secret")
            .wait();
    EXPECT_TRUE(ended.well()) << ended;
    EXPECT_THAT(ended.out, AllOf(HasSubstr("[0] 400\n"), HasSubstr("[0] none none\n")));
    std::ifstream copy(got);
    EXPECT_EQ(std::string(std::istreambuf_iterator<char>(copy), {}), secret + "\n");
    EXPECT_THAT(left_behind(), testing::UnorderedElementsAre(path, got)) << "no secret stays";
  }
}

TEST_F(Protected, ASecretThatOthersMayReadIsRefusedBeforeAnythingListens) {
  const std::string path = file("secret", the_secret, 0644);
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"serve", "tcp://127.0.0.1:0"},
        {"run", "-n", "1", "--", "true"},
        {"status", "tcp://127.0.0.1:1"},
        {"kv", "tcp://127.0.0.1:1", "get", "k"}}) {
    const Ended ended = muster(arguments, {{"MUSTER_SECRET_FILE", path}});
    EXPECT_EQ(ended.exit_code, 2) << arguments.front() << ": " << ended;
    EXPECT_THAT(ended.err, AllOf(HasSubstr("MUSTER_SECRET_FILE"), HasSubstr("0644"),
                                 HasSubstr("0600"), Not(HasSubstr(the_secret))));
  }
}

}  // namespace
}  // namespace muster::cli
