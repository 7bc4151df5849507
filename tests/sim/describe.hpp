/// \file
/// Messages in words, for traces and findings.
#pragma once

#include <string>

#include <muster/bytes.hpp>
#include <muster/roster.hpp>

#include "wire/frame.hpp"

namespace muster::sim {

std::string describe_type(wire::Type type);
std::string describe_request(const wire::FrameHeader& header, Bytes body);
std::string describe_reply(const wire::FrameHeader& header, Bytes body);
/// A Failure: "rank_missing, ranks 2, 3: text".
std::string describe_failure(Bytes body);
std::string describe_verdict(std::int16_t result, Bytes body);
std::string describe(const Error& error);

}  // namespace muster::sim
