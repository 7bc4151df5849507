#include <poll.h>
#include <string>
#include <unistd.h>

#include <muster/log.hpp>

#include "base/text.hpp"

namespace muster {
namespace {

/// With what stands around it, within PIPE_BUF.
constexpr std::size_t line_bytes_max = 4000;

}  // namespace

const char* name(LogLevel level) {
  switch (level) {
    case LogLevel::error:
      return "error";
    case LogLevel::warning:
      return "warning";
    case LogLevel::info:
      return "info";
    case LogLevel::debug:
      return "debug";
  }
  return "unknown";
}

std::optional<LogLevel> parse_log_level(std::string_view text) {
  for (const LogLevel level :
       {LogLevel::error, LogLevel::warning, LogLevel::info, LogLevel::debug}) {
    if (text == name(level)) return level;
  }
  return std::nullopt;
}

LogSink log_to_stderr(LogLevel most) {
  return [most](LogLevel level, std::string_view line) {
    if (level > most) return;
    // One write a line, so that lines of several processes do not mix.
    const std::string whole =
        std::string("muster: ") + name(level) + ": " + printable(line, line_bytes_max) + "\n";
    // Whoever does not read the log is not waited for: the line is lost then. A pipe that takes
    // anything takes a line whole (PIPE_BUF, pipe(7)).
    pollfd takes{.fd = STDERR_FILENO, .events = POLLOUT, .revents = 0};
    if (::poll(&takes, 1, 0) != 1 || (takes.revents & POLLERR) != 0) return;
    [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, whole.data(), whole.size());
  };
}

}  // namespace muster
