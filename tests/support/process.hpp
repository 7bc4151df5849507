/// \file
/// Child processes of a test: forked functions and command lines.
///
/// A child never outlives the test: it is killed when its Process goes, and by the kernel when the
/// thread that forked it ends. A forked child has only the descriptors 0, 1, 2 and those it was to
/// keep, so that it holds no socket of the test or of another child open. Fork before the test has
/// threads of its own.
#pragma once

#include <chrono>
#include <functional>
#include <iosfwd>
#include <map>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

#include <muster/deadline.hpp>

#include "net/fd.hpp"

namespace muster::support {

/// What a test waits for at most: generous, for a slow machine under a sanitizer. Nothing that
/// works takes so long.
inline constexpr std::chrono::seconds patience{60};

/// Value. How a process ended.
struct Ended {
  bool in_time = false;  ///< false: it had to be killed
  int exit_code = -1;    ///< -1: it ended by a signal
  int signal = 0;        ///< 0: it ended by itself
  std::string out;       ///< standard output: what it told
  std::string err;

  bool well() const { return in_time && exit_code == 0; }
};
std::ostream& operator<<(std::ostream& out, const Ended& ended);

/// Resource; movable.
class Process {
 public:
  /// Forks a child that runs `body` and ends with what it returns. 99: `body` has thrown.
  static Process fork(const std::function<int()>& body, const std::vector<int>& keep = {});

  /// Starts a command; its first word is looked up in PATH. `environment` is added to the test's
  /// own, an empty value removes a variable.
  static Process run(std::vector<std::string> command,
                     const std::map<std::string, std::string>& environment = {});

  Process() = default;
  Process(Process&& other) noexcept { *this = std::move(other); }
  Process& operator=(Process&& other) noexcept;
  ~Process() { kill_and_reap(); }

  pid_t pid() const { return pid_; }
  void send_signal(int number) const;
  /// SIGSTOP, and returns when all its threads stand still.
  void stop() const;

  /// A line for the child's hear(), or its standard input.
  void say(std::string_view line) const;
  void end_input() { in_.reset(); }

  /// Waits until the child's output holds `text`; false if it ends without, or after `bound`.
  bool wait_for_out(std::string_view text, Duration bound = patience);
  bool wait_for_err(std::string_view text, Duration bound = patience);
  const std::string& out() const { return out_.text; }
  const std::string& err() const { return err_.text; }

  /// Waits for the child's end; kills it after `bound`. May be called again.
  Ended wait(Duration bound = patience);

 private:
  struct Tap {
    net::Fd fd;
    std::string text;
  };
  /// The child's ends of the pipes: standard input, output, error.
  struct Ends {
    net::Fd in;
    net::Fd out;
    net::Fd err;
  };

  static Process with_pipes(Ends& ends);
  static void become_child(const Ends& ends, const std::vector<int>& keep, pid_t parent);
  void watch(pid_t pid);
  bool pump(TimePoint deadline);
  bool wait_for(const Tap& tap, std::string_view text, Duration bound);
  void kill_and_reap();

  pid_t pid_ = -1;
  net::Fd pid_fd_;
  net::Fd in_;
  Tap out_;
  Tap err_;
  Ended ended_;
  bool reaped_ = false;
  bool killed_ = false;  ///< by us
};

// In a forked child.

/// A line for the test: Process::wait_for_out, Ended::out.
void tell(std::string_view line);

/// The next line that the test says; empty after `patience`.
std::string hear();

/// The ranks of one job, each forked to run `body` with its number.
class Ranks {
 public:
  Ranks(std::uint32_t size, const std::function<int(std::uint32_t rank)>& body,
        const std::vector<int>& keep = {});

  std::uint32_t size() const { return static_cast<std::uint32_t>(all_.size()); }
  Process& operator[](std::uint32_t rank) { return all_.at(rank); }

  bool wait_for_out(std::string_view text, Duration bound = patience);
  void say(std::string_view line) const;
  /// How each ended, in order of rank; `bound` is for all together.
  std::vector<Ended> wait(Duration bound = patience);

 private:
  std::vector<Process> all_;
};

}  // namespace muster::support
