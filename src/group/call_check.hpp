/// \file
/// What can be said of a call by itself, before it is sent.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <muster/group.hpp>

namespace muster {

/// What is wrong with a call of `rank` in a group of `size`: it is not sent then, and is no round.
Result<void> check(const Call& call, std::uint32_t rank, std::uint32_t size);

/// What is wrong with `members` for a subset of a group of `size`, made by its rank `rank`.
Result<void> check_members(std::span<const std::uint32_t> members, std::uint32_t rank,
                           std::uint32_t size);

/// What it puts into the round, as one value: several payloads in the form of a verdict's parts, in
/// `buffer`.
Bytes joined(const Call& call, Value& buffer);

/// How many parts its good verdict has for `rank`.
std::size_t parts_expected(const Call& call, std::uint32_t rank, std::uint32_t size);

}  // namespace muster
