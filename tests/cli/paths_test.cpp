// Every path that a user gives, leading to what is no file: nothing waits, and the error says which
// setting and which path.
#include <cstring>
#include <fstream>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "cli/cli.hpp"
#include "net/fd.hpp"
#include "support/test_ca.hpp"

namespace muster::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using Variables = std::map<std::string, std::string>;

/// Value. A command with `$path` in it or in a variable, and how its error calls the setting.
struct Setting {
  std::string name;
  std::string command;
  Variables variables;
  bool written = false;  ///< a file is made there: nothing there is as it should be
};

class Paths : public Cli {
 protected:
  Paths() {
    ::mkfifo(home_.file("fifo").c_str(), 0600);
    ::mkdir(home_.file("folder").c_str(), 0700);
    std::ofstream(home_.file("closed")) << "text";
    ::chmod(home_.file("closed").c_str(), 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, home_.file("socket").c_str(), sizeof address.sun_path - 1);
    socket_.reset(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    EXPECT_EQ(::bind(socket_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address),
              0);
  }

  std::vector<std::string> paths() const {
    std::vector<std::string> all{home_.file("missing"), home_.file("fifo"), home_.file("folder"),
                                 home_.file("socket"), "/dev/zero"};
    if (::geteuid() != 0) all.push_back(home_.file("closed"));  // root may read everything
    return all;
  }

  std::vector<Setting> settings() {
    const Certificates files = ca_.issue({.password = "not to be guessed"});
    const Variables tls{{"MUSTER_TLS_CERT", files.certificate_file},
                        {"MUSTER_TLS_KEY", files.key_file},
                        {"MUSTER_TLS_CA", files.ca_file}};
    std::vector<Setting> all;
    for (const char* variable : {"MUSTER_SECRET_FILE", "MUSTER_UID_FILE", "MUSTER_PLUGIN"}) {
      all.push_back({variable, "exec $hello", {{variable, "$path"}}});
    }
    for (const char* variable : {"MUSTER_TLS_CERT", "MUSTER_TLS_KEY", "MUSTER_TLS_CA",
                                 "MUSTER_TLS_CRL", "MUSTER_TLS_KEY_PASSWORD_FILE"}) {
      Variables variables = tls;
      variables[variable] = "$path";
      all.push_back({variable, "exec $hello", variables});
    }
    for (const char* command : {"serve tcp://127.0.0.1:0", "uid --local", "run -n 1 -- true",
                                "status unix:///none", "kv unix:///none ls"}) {
      all.push_back({"MUSTER_SECRET_FILE",
                     std::string("exec $muster ") + command,
                     {{"MUSTER_SECRET_FILE", "$path"}}});
    }
    all.push_back({"MUSTER_UID_FILE", "exec $muster status", {{"MUSTER_UID_FILE", "$path"}}});
    all.push_back({"--uid-file", "exec $muster status --uid-file $path", {}});
    all.push_back({"--uid-file", "exec $muster kv unix:///none get k --uid-file $path", {}});
    all.push_back({"", "exec $muster status $path", {}});
    all.push_back({"", "exec $muster kv $path get k", {}});
    all.push_back({"--output", "exec $muster uid --local --output $path", {}, true});
    return all;
  }

  /// In a job of one that would serve itself.
  Ended outcome(const Setting& setting, const std::string& path) {
    Variables all{{"muster", program("muster")},
                  {"hello", program("hello")},
                  {"path", path},
                  {"XDG_RUNTIME_DIR", home_.path()},
                  {"TMPDIR", home_.path()}};
    if (setting.command == "exec $hello") {
      all.merge(Variables{{"MUSTER_RANK", "0"}, {"MUSTER_SIZE", "1"}});
    }
    for (const auto& [name, value] : setting.variables) all[name] = value == "$path" ? path : value;
    return Process::run({"sh", "-c", setting.command}, all).wait();
  }

  support::TestCa ca_;
  net::Fd socket_;
};

TEST_F(Paths, none_is_waited_for_and_all_are_named) {
  for (const Setting& setting : settings()) {
    for (const std::string& path : paths()) {
      if (setting.written && path == home_.file("missing")) continue;
      const Ended ended = outcome(setting, path);
      const std::string what = setting.name + "=" + path + ", " + setting.command;
      EXPECT_TRUE(ended.in_time) << what;
      EXPECT_EQ(ended.exit_code, 2) << what << ": " << ended;
      EXPECT_THAT(ended.err, AllOf(HasSubstr(setting.name), HasSubstr(path), HasSubstr("(")))
          << what << ": the setting, the path, and what to do";
    }
  }
}

TEST_F(Paths, a_socket_is_not_made_over_something_else) {
  for (const std::string& path : paths()) {
    if (path == home_.file("missing") || path == home_.file("socket")) continue;
    const Ended ended =
        outcome({"MUSTER_URL", "exec $hello", {{"MUSTER_URL", "unix://" + path}}}, path);
    EXPECT_TRUE(ended.in_time) << path;
    EXPECT_EQ(ended.exit_code, 1) << path << ": " << ended;
    EXPECT_THAT(ended.err, AllOf(HasSubstr(path), HasSubstr("a file that is no socket"))) << path;
  }
}

TEST_F(Paths, folders_that_are_none_are_named) {
  for (const std::string& path : paths()) {
    if (path == home_.file("folder")) continue;
    const Variables both{{"XDG_RUNTIME_DIR", path}, {"TMPDIR", path}};
    const Ended ended = outcome({"", "exec $muster run -n 1 -- true", both}, path);
    EXPECT_TRUE(ended.in_time) << path;
    EXPECT_EQ(ended.exit_code, 1) << path << ": " << ended;
    EXPECT_THAT(ended.err, AllOf(HasSubstr(path), HasSubstr("XDG_RUNTIME_DIR or TMPDIR"))) << path;
  }
}

}  // namespace
}  // namespace muster::cli
