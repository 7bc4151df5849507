/// \file
/// How ranks, calls, times and messages are named in what the server says.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include <muster/deadline.hpp>
#include <muster/kind.hpp>

#include "wire/frame.hpp"

namespace muster::server {

struct Departure;

/// "rank 2", "ranks 0-1, 3".
std::string ranks_text(std::span<const std::uint32_t> ascending);

/// "1.950 s".
std::string seconds_text(Duration time);

/// "barrier 'epoch end'", or "barrier" without a label.
std::string call_text(Kind kind, std::string_view label);
/// "barrier 'epoch end' #17".
std::string call_text(Kind kind, std::string_view label, std::uint64_t sequence);

/// "key 'a'", "keys 'a', 'b' and 7 more".
std::string keys_text(std::span<const std::string> keys);

/// "rank 3 (host c, pid 13) was lost".
std::string departure_text(const Departure& departure);

/// "GET", or "message of type 77".
std::string message_text(wire::Type type);

}  // namespace muster::server
