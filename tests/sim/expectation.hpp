/// \file
/// What may go wrong in a calm run, given the one rank that is in trouble.
#pragma once

#include <optional>
#include <string>

#include <muster/result.hpp>

#include "plan.hpp"

namespace muster::sim {

/// What an operation is to the job: which failures it may show differs.
enum class Deed : std::uint8_t { join, collective, store, leave };

/// Nothing if `error` is what the plan leads to, otherwise why it is not.
std::optional<std::string> unexpected(const Plan& plan, Deed deed, const Error& error);

}  // namespace muster::sim
