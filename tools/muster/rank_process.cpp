#include "rank_process.hpp"

#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "stub.hpp"

extern char** environ;

namespace muster::tool {
namespace {

Error failed(const char* what, int error) {
  return {.code = Code::system,
          .what = fmt::format("cannot {}: {}", what, std::strerror(error)),
          .advice = error == EMFILE
                        ? "raise the limit of open files (ulimit -n), or use fewer ranks"
                        : ""};
}

bool names(const char* entry, const std::string& variable) {
  return std::strncmp(entry, variable.c_str(), variable.size()) == 0 &&
         entry[variable.size()] == '=';
}

std::vector<std::string> environment_with(const Variables& variables) {
  std::vector<std::string> all;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    bool replaced = false;
    for (const auto& [name, value] : variables) replaced = replaced || names(*entry, name);
    if (!replaced) all.emplace_back(*entry);
  }
  for (const auto& [name, value] : variables) {
    if (value) all.push_back(name + "=" + *value);
  }
  return all;
}

std::vector<char*> pointers(std::vector<std::string>& strings) {
  std::vector<char*> all;
  for (auto& string : strings) all.push_back(string.data());
  all.push_back(nullptr);
  return all;
}

/// The two ends of a pipe, ours (to read from, non-blocking) and the rank's.
struct Pipe {
  net::Fd ours;
  net::Fd theirs;
};
Result<Pipe> make_pipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return failed("make a pipe", errno);
  Pipe pipe{net::Fd(ends[0]), net::Fd(ends[1])};
  ::fcntl(pipe.ours.get(), F_SETFL, O_NONBLOCK);
  return pipe;
}

/// posix_spawn's two option objects.
struct Actions {
  posix_spawn_file_actions_t files{};
  posix_spawnattr_t attributes{};

  explicit Actions(const sigset_t& mask) {
    ::posix_spawn_file_actions_init(&files);
    ::posix_spawnattr_init(&attributes);
    sigset_t defaults;
    ::sigemptyset(&defaults);
    ::sigaddset(&defaults, SIGPIPE);  // this process ignores it, and that would be inherited
    ::posix_spawnattr_setsigmask(&attributes, &mask);
    ::posix_spawnattr_setsigdefault(&attributes, &defaults);
    ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  }
  Actions(const Actions&) = delete;
  ~Actions() {
    ::posix_spawn_file_actions_destroy(&files);
    ::posix_spawnattr_destroy(&attributes);
  }
};

}  // namespace

Result<RankProcess> spawn(const SpawnOptions& options) {
  Actions actions(options.signal_mask);
  if (!options.own_input) {
    ::posix_spawn_file_actions_addopen(&actions.files, 0, "/dev/null", O_RDONLY, 0);
  }
  Pipe out;
  Pipe err;
  if (options.pipe_output) {
    for (Pipe* pipe : {&out, &err}) {
      auto made = make_pipe();
      if (!made) return made.error();
      *pipe = *std::move(made);
    }
    ::posix_spawn_file_actions_adddup2(&actions.files, out.theirs.get(), 1);
    ::posix_spawn_file_actions_adddup2(&actions.files, err.theirs.get(), 2);
  }
  std::vector<std::string> arguments{"muster", stub_argument, std::to_string(::getpid())};
  arguments.insert(arguments.end(), options.command.begin(), options.command.end());
  std::vector<std::string> environment = environment_with(options.variables);
  pid_t pid = 0;
  const int error = ::posix_spawn(&pid, "/proc/self/exe", &actions.files, &actions.attributes,
                                  pointers(arguments).data(), pointers(environment).data());
  if (error != 0) return failed("start a process", error);
  return RankProcess{pid, std::move(out.ours), std::move(err.ours)};
}

std::optional<EndStatus> reap(pid_t pid) {
  int status = 0;
  if (::waitpid(pid, &status, WNOHANG) != pid) return std::nullopt;
  return EndStatus::from_wait(status);
}

int find_command(const std::string& command) {
  const auto executable = [](const std::string& path) {
    struct stat found {};
    if (::stat(path.c_str(), &found) != 0) return errno;
    return S_ISREG(found.st_mode) && ::access(path.c_str(), X_OK) == 0 ? 0 : EACCES;
  };
  if (command.empty()) return ENOENT;
  if (command.find('/') != std::string::npos) return executable(command);
  const char* set = std::getenv("PATH");
  std::string paths = set != nullptr ? set : "/bin:/usr/bin";
  int worst = ENOENT;
  for (std::size_t begin = 0; begin <= paths.size();) {
    const std::size_t end = std::min(paths.find(':', begin), paths.size());
    const std::string folder = paths.substr(begin, end - begin);
    const int error = executable(folder.empty() ? command : folder + "/" + command);
    if (error == 0) return 0;
    if (error == EACCES) worst = EACCES;
    begin = end + 1;
  }
  return worst;
}

}  // namespace muster::tool
