#include "support/process.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <fcntl.h>
#include <fmt/format.h>
#include <ostream>
#include <poll.h>
#include <signal.h>
#include <stdexcept>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "net/wait.hpp"

namespace muster::support {
namespace {

constexpr int threw = 99;
constexpr int not_started = 127;

[[noreturn]] void give_up(const char* doing) {
  throw std::system_error(errno, std::generic_category(), doing);
}

void write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(fd, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

/// Takes in what is there to be read. False: there will be no more.
bool drain(int fd, std::string& text) {
  char buffer[4096];
  for (;;) {
    const ssize_t got = ::read(fd, buffer, sizeof buffer);
    if (got > 0) {
      text.append(buffer, static_cast<std::size_t>(got));
    } else if (got == 0) {
      return false;
    } else if (errno != EINTR) {
      return errno == EAGAIN;
    }
  }
}

void close_all_but(std::vector<int> keep) {
  std::sort(keep.begin(), keep.end());
  unsigned from = 3;
  for (const int fd : keep) {
    if (fd < 3) continue;
    const auto kept = static_cast<unsigned>(fd);
    if (kept > from) ::close_range(from, kept - 1, 0);
    from = kept + 1;
  }
  ::close_range(from, ~0U, 0);
}

int run_guarded(const std::function<int()>& body) {
  try {
    return body();
  } catch (const std::exception& error) {
    write_all(STDERR_FILENO, fmt::format("the child threw: {}\n", error.what()));
    return threw;
  }
}

void put_into_environment(const std::map<std::string, std::string>& environment) {
  for (const auto& [name, value] : environment) {
    if (value.empty()) {
      ::unsetenv(name.c_str());
    } else {
      ::setenv(name.c_str(), value.c_str(), 1);
    }
  }
}

}  // namespace

std::ostream& operator<<(std::ostream& out, const Ended& ended) {
  if (!ended.in_time) {
    out << "killed after it did not end in time";
  } else if (ended.signal != 0) {
    out << "ended by signal " << ended.signal;
  } else {
    out << "exit code " << ended.exit_code;
  }
  return out << "\nits output: " << ended.out << "\nits errors: " << ended.err;
}

Process Process::with_pipes(Ends& ends) {
  int in[2];
  int out[2];
  int err[2];
  // A socket for the input: writing to a child that has ended must not be a SIGPIPE.
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, in) != 0) give_up("socketpair");
  if (::pipe2(out, O_CLOEXEC) != 0 || ::pipe2(err, O_CLOEXEC) != 0) give_up("pipe2");
  Process process;
  ends = {net::Fd(in[0]), net::Fd(out[1]), net::Fd(err[1])};
  process.in_ = net::Fd(in[1]);
  process.out_.fd = net::Fd(out[0]);
  process.err_.fd = net::Fd(err[0]);
  ::fcntl(out[0], F_SETFL, O_NONBLOCK);
  ::fcntl(err[0], F_SETFL, O_NONBLOCK);
  return process;
}

void Process::become_child(const Ends& ends, const std::vector<int>& keep, pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(threw);
  ::dup2(ends.in.get(), STDIN_FILENO);
  ::dup2(ends.out.get(), STDOUT_FILENO);
  ::dup2(ends.err.get(), STDERR_FILENO);
  close_all_but(keep);
}

Process Process::fork(const std::function<int()>& body, const std::vector<int>& keep) {
  std::fflush(stdout);  // or the child might say it, too
  Ends ends;
  Process process = with_pipes(ends);
  const pid_t parent = ::getpid();
  const pid_t pid = ::fork();
  if (pid < 0) give_up("fork");
  if (pid == 0) {
    become_child(ends, keep, parent);
    ::_exit(run_guarded(body));
  }
  process.watch(pid);
  return process;
}

Process Process::run(std::vector<std::string> command,
                     const std::map<std::string, std::string>& environment) {
  std::vector<char*> words;
  for (std::string& word : command) words.push_back(word.data());
  words.push_back(nullptr);
  Ends ends;
  Process process = with_pipes(ends);
  const pid_t parent = ::getpid();
  const pid_t pid = ::fork();
  if (pid < 0) give_up("fork");
  if (pid == 0) {
    become_child(ends, {}, parent);
    put_into_environment(environment);
    ::execvp(words[0], words.data());
    write_all(STDERR_FILENO, fmt::format("cannot start {}: {}\n", words[0], net::reason(errno)));
    ::_exit(not_started);
  }
  process.watch(pid);
  return process;
}

void Process::watch(pid_t pid) {
  pid_ = pid;
  pid_fd_ = net::Fd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  if (!pid_fd_) give_up("pidfd_open");
}

Process& Process::operator=(Process&& other) noexcept {
  if (this == &other) return *this;
  kill_and_reap();
  pid_ = std::exchange(other.pid_, -1);
  pid_fd_ = std::move(other.pid_fd_);
  in_ = std::move(other.in_);
  out_ = std::move(other.out_);
  err_ = std::move(other.err_);
  ended_ = std::move(other.ended_);
  reaped_ = std::exchange(other.reaped_, false);
  killed_ = std::exchange(other.killed_, false);
  return *this;
}

void Process::send_signal(int number) const {
  if (pid_ > 0 && !reaped_) ::kill(pid_, number);
}

void Process::stop() const {
  send_signal(SIGSTOP);
  siginfo_t info{};
  while (::waitid(P_PID, static_cast<id_t>(pid_), &info, WSTOPPED | WEXITED | WNOWAIT) != 0 &&
         errno == EINTR) {
  }
}

void Process::say(std::string_view line) const {
  const std::string whole = std::string(line) + "\n";
  ::send(in_.get(), whole.data(), whole.size(), MSG_NOSIGNAL);
}

/// Takes in what the child has written, waiting for more or for its end. False: it has ended and
/// all is taken in, or the deadline has come.
bool Process::pump(TimePoint deadline) {
  if (reaped_) return false;
  pollfd fds[] = {{.fd = out_.fd.get(), .events = POLLIN, .revents = 0},
                  {.fd = err_.fd.get(), .events = POLLIN, .revents = 0},
                  {.fd = pid_fd_.get(), .events = POLLIN, .revents = 0}};
  const Duration left = std::clamp<Duration>(deadline - Clock::now(), Duration::zero(), patience);
  const auto left_ms = std::chrono::ceil<std::chrono::milliseconds>(left);
  if (::poll(fds, 3, static_cast<int>(left_ms.count())) == 0) return false;
  for (Tap* tap : {&out_, &err_}) {
    if (tap->fd && !drain(tap->fd.get(), tap->text)) tap->fd.reset();
  }
  if (fds[2].revents == 0) return true;
  int status = 0;
  while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  reaped_ = true;
  ended_.in_time = !killed_;
  ended_.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  ended_.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  return true;
}

bool Process::wait_for(const Tap& tap, std::string_view text, Duration bound) {
  const TimePoint deadline = Clock::now() + bound;
  while (tap.text.find(text) == tap.text.npos) {
    if (Clock::now() >= deadline || !pump(deadline)) return false;
  }
  return true;
}

bool Process::wait_for_out(std::string_view text, Duration bound) {
  return wait_for(out_, text, bound);
}

bool Process::wait_for_err(std::string_view text, Duration bound) {
  return wait_for(err_, text, bound);
}

Ended Process::wait(Duration bound) {
  const TimePoint deadline = Clock::now() + bound;
  while (pump(deadline) && Clock::now() < deadline) {
  }
  kill_and_reap();
  ended_.out = out_.text;
  ended_.err = err_.text;
  return ended_;
}

void Process::kill_and_reap() {
  if (pid_ <= 0 || reaped_) return;
  killed_ = true;
  ::kill(pid_, SIGKILL);
  while (pump(Clock::now() + patience)) {
  }
}

void tell(std::string_view line) {
  write_all(STDOUT_FILENO, std::string(line) + "\n");
}

std::string hear() {
  const TimePoint deadline = Clock::now() + patience;
  std::string line;
  char next = 0;
  while (net::wait_ready(STDIN_FILENO, POLLIN, deadline)) {
    if (::read(STDIN_FILENO, &next, 1) != 1 || next == '\n') break;
    line += next;
  }
  return line;
}

Ranks::Ranks(std::uint32_t size, const std::function<int(std::uint32_t rank)>& body,
             const std::vector<int>& keep) {
  for (std::uint32_t rank = 0; rank < size; ++rank) {
    all_.push_back(Process::fork([&body, rank] { return body(rank); }, keep));
  }
}

bool Ranks::wait_for_out(std::string_view text, Duration bound) {
  const TimePoint deadline = Clock::now() + bound;
  return std::all_of(all_.begin(), all_.end(),
                     [&](Process& one) { return one.wait_for_out(text, deadline - Clock::now()); });
}

void Ranks::say(std::string_view line) const {
  for (const Process& one : all_) one.say(line);
}

std::vector<Ended> Ranks::wait(Duration bound) {
  const TimePoint deadline = Clock::now() + bound;
  std::vector<Ended> ended;
  for (Process& one : all_) ended.push_back(one.wait(deadline - Clock::now()));
  return ended;
}

}  // namespace muster::support
