// `muster uid`: a job by unique id, and what reaches it from outside; sockets handed to a server.
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli.hpp"
#include "net/address.hpp"
#include "net/listen.hpp"

namespace muster::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

std::string content(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

class Uid : public Cli {
 protected:
  /// Starts a server; reads the first line that it says.
  Process serve(std::vector<std::string> options) {
    options.insert(options.begin(), {"uid", "--session-id", "127.0.0.1:0"});
    Process server = start(std::move(options));
    EXPECT_TRUE(server.wait_for_out("\n")) << server.wait();
    said_ = lines(server.out()).front();
    return server;
  }
  /// With the id in a file.
  Process serve_with_file(std::vector<std::string> options = {}) {
    options.insert(options.begin(), {"--output", file_});
    return serve(std::move(options));
  }
  Process rank(int number, int size, std::map<std::string, std::string> id) {
    id.merge(std::map<std::string, std::string>{{"MUSTER_RANK", std::to_string(number)},
                                                {"MUSTER_SIZE", std::to_string(size)}});
    return Process::run({program("hello")}, id);
  }

  const std::string file_ = home_.file("job.uid");
  std::string said_;
};

TEST_F(Uid, ranks_join_by_the_file_and_it_goes_with_the_job) {
  Process server = serve_with_file({"--size", "2"});
  EXPECT_THAT(said_, StartsWith("tcp://127.0.0.1:"));
  EXPECT_THAT(content(file_), StartsWith("muster1:"));
  struct stat found {};
  ASSERT_EQ(::stat(file_.c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 07777, 0600U);
  Process first = rank(0, 2, {{"MUSTER_UID_FILE", file_}});
  Process second = rank(1, 2, {{"MUSTER_UID_FILE", file_}});
  EXPECT_TRUE(first.wait().well()) << first.wait();
  EXPECT_TRUE(second.wait().well()) << second.wait();
  const Ended ended = server.wait();
  EXPECT_TRUE(ended.well()) << ended;
  EXPECT_EQ(ended.err, "");
  EXPECT_THAT(left_behind(), IsEmpty());
}

TEST_F(Uid, its_port_is_of_the_range) {
  Process server = serve_with_file();
  const std::string port = said_.substr(said_.rfind(':') + 1);
  const std::string range = port + ":" + port;
  const std::vector<std::string> another = {"uid", "--session-id", "127.0.0.1:0"};
  const Ended none = muster(another, {{"MUSTER_PORT_RANGE", range}});
  EXPECT_EQ(none.exit_code, 1) << none;
  EXPECT_THAT(none.err, AllOf(HasSubstr("MUSTER_PORT_RANGE"), HasSubstr(port)));
  server.send_signal(SIGTERM);
  EXPECT_EQ(server.wait().exit_code, 128 + SIGTERM);

  const std::string before = said_;
  Process next = serve_with_file({"--port-range", range});
  EXPECT_EQ(said_, before);
  const Ended senseless = muster({"uid", "--port-range", "9"});
  EXPECT_EQ(senseless.exit_code, 2);
  EXPECT_THAT(senseless.err,
              AllOf(HasSubstr("--port-range"), HasSubstr("'9'"), HasSubstr("expected first:last")));
}

TEST_F(Uid, without_a_file_it_says_the_id) {
  Process server = serve({});
  EXPECT_THAT(said_, StartsWith("muster1:"));
  Process only = rank(0, 1, {{"MUSTER_UID", said_}});
  for (const Ended& shown : {muster({"status", said_}), muster({"kv", said_, "get", "a"}),
                             muster({"status", "--uid-file", said_}), muster({"serve", said_}),
                             muster({"uid", "--session-id", said_})}) {
    EXPECT_EQ(shown.exit_code, 2) << "not on a command line";
    EXPECT_THAT(shown.err, Not(HasSubstr(said_.substr(8, 8))));
  }
  EXPECT_TRUE(only.wait().well()) << only.wait();
  EXPECT_TRUE(server.wait().well());
}

TEST_F(Uid, the_tools_get_in_with_the_id_and_not_without) {
  Process server = serve_with_file({"--job", "train-7"});
  EXPECT_TRUE(muster({"kv", file_, "set", "a", "1"}).well());
  EXPECT_EQ(muster({"kv", "train-7", "get", "a", "--uid-file", file_}).out, "1");
  EXPECT_EQ(muster({"kv", said_, "get", "a"}, {{"MUSTER_UID_FILE", file_}}).out, "1");
  for (const Ended& in : {muster({"status", "--uid-file", file_}), muster({"status", file_}),
                          muster({"status"}, {{"MUSTER_UID_FILE", file_}}),
                          muster({"status", "train-7"}, {{"MUSTER_UID_FILE", file_}})}) {
    EXPECT_TRUE(in.well()) << in;
    EXPECT_THAT(in.out, HasSubstr("job 'train-7'"));
  }
  const Ended out = muster({"kv", said_, "get", "a"});
  EXPECT_EQ(out.exit_code, 1) << out;
  EXPECT_EQ(out.out, "");
  const Ended other =
      muster({"status", file_}, {{"MUSTER_SECRET", "another one, of more than 32 bytes it is"}});
  EXPECT_EQ(other.exit_code, 2) << other;
  EXPECT_THAT(other.err, HasSubstr("a secret is given, and a unique id"));
  server.send_signal(SIGTERM);
  EXPECT_EQ(server.wait().exit_code, 128 + SIGTERM);
  EXPECT_THAT(left_behind(), IsEmpty());
}

TEST_F(Uid, the_secret_is_nowhere_but_in_the_id) {
  Process server = serve_with_file({"--size", "1"});
  const std::string secret = content(file_).substr(8 + 2 * 24, 64);
  Process wrong = Process::run({program("hello")}, {{"MUSTER_URL", said_},
                                                    {"MUSTER_RANK", "0"},
                                                    {"MUSTER_SIZE", "1"},
                                                    {"MUSTER_SERVE", "external"},
                                                    {"MUSTER_LOG", "debug"}});
  EXPECT_EQ(wrong.wait().exit_code, 1);
  const Ended status = muster({"status", "--json", "--uid-file", file_}, {{"MUSTER_LOG", "debug"}});
  Process good = rank(0, 1, {{"MUSTER_UID_FILE", file_}, {"MUSTER_LOG", "debug"}});
  for (const Ended& ended : {status, good.wait(), wrong.wait(), server.wait()}) {
    EXPECT_THAT(ended.out + ended.err, AllOf(Not(HasSubstr(secret)), Not(HasSubstr("muster1:"))));
  }
}

TEST_F(Uid, a_file_that_others_may_read_is_refused) {
  Process server = serve_with_file();
  ::chmod(file_.c_str(), 0644);
  const Ended ended = muster({"status", "--uid-file", file_});
  EXPECT_EQ(ended.exit_code, 2) << ended;
  EXPECT_THAT(ended.err, AllOf(HasSubstr(file_), HasSubstr("0600")));
}

TEST_F(Uid, only_a_regular_file_is_replaced) {
  std::ofstream(file_) << "an old one";
  {
    Process server = serve_with_file();
    EXPECT_THAT(content(file_), StartsWith("muster1:"));
  }
  const Ended folder = muster({"uid", "--session-id", "127.0.0.1:0", "--output", home_.path()});
  EXPECT_EQ(folder.exit_code, 2) << folder;
  EXPECT_THAT(folder.err, HasSubstr("is no regular file"));
  const Ended nowhere = muster({"uid", "--session-id", "127.0.0.1:0", "--output", "/none/x"});
  EXPECT_EQ(nowhere.exit_code, 1) << nowhere;
  EXPECT_THAT(nowhere.err, HasSubstr("cannot create /none/x"));
}

TEST_F(Uid, white_space_around_the_id_does_not_count_for_anybody) {
  Process server = serve_with_file({"--job", "train-7"});
  const std::string id = content(file_);
  std::ofstream(file_) << " \r\n\t" << id << "\n";
  for (const Ended& in : {muster({"status", file_}), muster({"status", "--uid-file", file_}),
                          muster({"status"}, {{"MUSTER_UID_FILE", file_}})}) {
    EXPECT_TRUE(in.well()) << in;
    EXPECT_THAT(in.out, HasSubstr("job 'train-7'"));
  }
}

TEST_F(Uid, a_pipe_is_not_waited_for) {
  const std::string pipe = home_.file("pipe");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  for (const Ended& ended :
       {muster({"status", pipe}), muster({"kv", pipe, "get", "k"}),
        muster({"status", "--uid-file", pipe}), muster({"status"}, {{"MUSTER_UID_FILE", pipe}})}) {
    EXPECT_EQ(ended.exit_code, 2) << ended;
    EXPECT_THAT(ended.err, AllOf(HasSubstr(pipe), HasSubstr("is no regular file")));
  }
}

TEST_F(Uid, an_id_that_nobody_got_is_not_served) {
  for (const char* more : {"", " --output $file"}) {
    const Ended ended = shell("file=" + file_ + "; exec $muster uid --session-id 127.0.0.1:0" +
                              more + " >/dev/full")
                            .wait();
    EXPECT_EQ(ended.exit_code, 1) << ended;
    EXPECT_EQ(ended.err, "muster: system: cannot write the output: No space left on device\n");
    EXPECT_THAT(left_behind(), IsEmpty());
  }
}

TEST_F(Uid, an_empty_path_does_not_send_the_secret_to_the_output) {
  for (const std::vector<std::string>& output :
       {std::vector<std::string>{"--output", ""}, {"--output="}}) {
    std::vector<std::string> command{"uid", "--session-id", "127.0.0.1:0"};
    command.insert(command.end(), output.begin(), output.end());
    const Ended ended = muster(command);
    EXPECT_EQ(ended.exit_code, 2) << ended;
    EXPECT_EQ(ended.out, "");
    EXPECT_THAT(ended.err, HasSubstr("--output"));
  }
}

TEST_F(Uid, options_that_are_wrong_are_usage) {
  for (const auto& [option, value, text] :
       {std::tuple{"--ifname", "wrong9", "'wrong9' matches none of this host's interfaces"},
        std::tuple{"--ifname", "eth0:inet5", "the family 'inet5' is not known"},
        std::tuple{"--session-id", "nowhere", "'nowhere' is no address"},
        std::tuple{"--advertise", "node7:0", "'node7:0' cannot be advertised"}}) {
    const Ended ended = muster({"uid", option, value, "--local"});
    EXPECT_EQ(ended.exit_code, 2) << option << ended;
    EXPECT_THAT(ended.err, HasSubstr(text));
  }
}

TEST_F(Uid, tells_what_is_to_be_advertised) {
  Process server = serve_with_file({"--advertise", "localhost"});
  EXPECT_THAT(said_, StartsWith("tcp://localhost:"));
  Process only = rank(0, 1, {{"MUSTER_UID_FILE", file_}});
  EXPECT_TRUE(only.wait().well()) << only.wait();
}

/// A program that is started as systemd starts one: with a listening socket as its descriptor 3.
class Activated : public Cli {
 protected:
  Process start_with_socket(std::vector<const char*> command,
                            std::map<std::string, std::string> variables = {}) {
    command.push_back(nullptr);
    return Process::fork(
        [&] {
          ::dup2(listener_.get(), 3);
          if (listener_.get() == 3) ::fcntl(3, F_SETFD, 0);
          variables.merge(
              std::map<std::string, std::string>{{"XDG_RUNTIME_DIR", home_.path()},
                                                 {"LISTEN_PID", std::to_string(::getpid())},
                                                 {"LISTEN_FDS", "1"}});
          for (const auto& [name, value] : variables) ::setenv(name.c_str(), value.c_str(), 1);
          ::execv(command.front(), const_cast<char**>(command.data()));
          return 99;
        },
        {listener_.get()});
  }

  const std::string tool_ = program("muster");
  const std::string hello_ = program("hello");
  const net::Fd listener_ =
      net::listen(net::Url::parse("tcp://127.0.0.1:0").value(), Clock::now()).value();
  const std::string url_ = net::bound_url(listener_.get())->text();
};

TEST_F(Activated, a_serving_rank_takes_the_socket) {
  const std::map<std::string, std::string> job{{"MUSTER_SIZE", "2"}, {"MUSTER_URL", url_}};
  auto first = job;
  first["MUSTER_RANK"] = "0";
  auto second = job;
  second["MUSTER_RANK"] = "1";
  Process zero = start_with_socket({hello_.c_str()}, first);
  Process one = Process::run({hello_}, second);
  EXPECT_TRUE(zero.wait().well()) << "the address is in use but for the socket: " << zero.wait();
  EXPECT_TRUE(one.wait().well()) << one.wait();
}

TEST_F(Activated, serve_takes_the_socket) {
  const auto serve = [&](const char* url) {
    return start_with_socket({tool_.c_str(), "serve", "--size", "1", url});
  };
  Process server = serve(nullptr);
  ASSERT_TRUE(server.wait_for_out("\n")) << server.wait();
  EXPECT_EQ(server.out(), url_ + "\n");
  Process only = Process::run({program("hello")}, {{"MUSTER_URL", url_},
                                                   {"MUSTER_RANK", "0"},
                                                   {"MUSTER_SIZE", "1"},
                                                   {"MUSTER_SERVE", "external"}});
  EXPECT_TRUE(only.wait().well()) << only.wait();
  EXPECT_TRUE(server.wait().well()) << server.wait();

  const Ended both = serve("tcp://127.0.0.1:0").wait();
  EXPECT_EQ(both.exit_code, 2) << both;
  EXPECT_THAT(both.err, HasSubstr("and a socket by LISTEN_FDS"));
  const Ended neither = muster({"serve"});
  EXPECT_EQ(neither.exit_code, 2) << neither;
  EXPECT_THAT(neither.err, HasSubstr("url is required"));
}

}  // namespace
}  // namespace muster::cli
