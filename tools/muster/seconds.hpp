/// \file
/// Times on the command line.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <CLI/CLI.hpp>

#include <muster/deadline.hpp>

namespace muster::tool {

/// "10", "0.5": finite, from 0 to 45 days (limits::wait_max), as seconds.
std::optional<Duration> parse_seconds(std::string_view text);

/// For CLI11: refuses what parse_seconds() does not take; the second one, 0 too.
CLI::Validator seconds();
CLI::Validator seconds_above_0();

}  // namespace muster::tool
