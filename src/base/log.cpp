#include <cstdio>
#include <string>

#include <muster/log.hpp>

#include "base/text.hpp"

namespace muster {

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
        std::string("muster: ") + name(level) + ": " + printable(line, 4096) + "\n";
    std::fwrite(whole.data(), 1, whole.size(), stderr);
  };
}

}  // namespace muster
