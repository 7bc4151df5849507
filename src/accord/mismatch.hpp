/// \file
/// Says how the contracts of the ranks differ. Pure; any thread.
#pragma once

#include <cstdint>
#include <vector>

#include <muster/result.hpp>

#include "accord/record.hpp"

namespace muster::accord {

/// What a process exits with when it must not go on: what it relies on was not shown to hold.
inline constexpr int fail_closed_exit_code = 70;

/// The error for `records`, whose fingerprints are not all equal. `ranks` says whose they are:
/// ranks of the job, one for each record, ascending. It depends on these alone, so every rank says
/// the same:
/// - a side, that is the ranks of one fingerprint, with the first 12 hex digits of it, in order of
///   their lowest ranks;
/// - each entry that differs, in order of name: missing on some ranks, of different types, or of
///   different values. Values are shown only if every rank that holds the entry marks it open.
/// `Error::ranks` names who is not on the largest side; among equals that is the one with the
/// lowest rank. The text is bounded: what does not fit is counted.
Error mismatch_error(const std::vector<Record>& records, const std::vector<std::uint32_t>& ranks);

}  // namespace muster::accord
