/// \file
/// What Muster has to say while it works goes to one callback of the caller's choice.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

#include <muster/export.hpp>

namespace muster {

enum class LogLevel : std::uint8_t { error, warning, info, debug };
MUSTER_API const char* name(LogLevel level);

/// "error", "warning", "info" or "debug"; nothing for anything else.
MUSTER_API std::optional<LogLevel> parse_log_level(std::string_view text);

/// Called with one line, without its end. May be called from any thread of the job, one at a time a
/// sink; must not block and must not call back into the job. No secret is ever in a line.
using LogSink = std::function<void(LogLevel, std::string_view)>;

/// A sink that writes lines of `most` and graver to standard error: `muster: warning: ...`.
MUSTER_API LogSink log_to_stderr(LogLevel most = LogLevel::warning);

}  // namespace muster
