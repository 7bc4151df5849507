#include "cli/cli.hpp"

#include <filesystem>
#include <poll.h>
#include <sstream>
#include <sys/syscall.h>
#include <unistd.h>

#include "net/fd.hpp"

namespace muster::cli {
namespace {

std::map<std::string, std::string> clean_environment(const std::string& home) {
  std::map<std::string, std::string> all{{"XDG_RUNTIME_DIR", home}, {"TMPDIR", home}};
  for (const char* name :
       {"URL", "SERVE", "RANK", "SIZE", "JOB", "INCARNATION", "EPOCH", "LOG", "JOIN_TIMEOUT",
        "OP_TIMEOUT", "LISTEN_FD", "UID", "UID_FILE", "UID_FD", "ADVERTISE"}) {
    all[std::string("MUSTER_") + name] = "";
  }
  return all;
}

}  // namespace

std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> all;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) all.push_back(line);
  return all;
}

std::vector<pid_t> told_pids(const std::string& out) {
  std::vector<pid_t> pids;
  for (const auto& line : lines(out)) {
    const std::size_t at = line.find("pid ");
    if (at != std::string::npos) pids.push_back(std::stoi(line.substr(at + 4)));
  }
  return pids;
}

bool ends(pid_t pid) {
  const net::Fd watched(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  if (!watched) return errno == ESRCH;
  pollfd end{.fd = watched.get(), .events = POLLIN, .revents = 0};
  const std::chrono::milliseconds most = support::patience;
  return ::poll(&end, 1, static_cast<int>(most.count())) == 1;
}

Process Cli::start(std::vector<std::string> arguments, std::map<std::string, std::string> more) {
  arguments.insert(arguments.begin(), program("muster"));
  more.merge(clean_environment(home_.path()));
  return Process::run(std::move(arguments), more);
}

Process Cli::shell(const std::string& line) {
  auto environment = clean_environment(home_.path());
  environment["muster"] = program("muster");
  environment["hello"] = program("hello");
  return Process::run({"sh", "-c", line}, environment);
}

std::vector<std::string> Cli::left_behind() const {
  std::vector<std::string> left;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(home_.path())) {
    if (entry.path() != home_.path() / "muster") left.push_back(entry.path());
  }
  return left;
}

}  // namespace muster::cli
