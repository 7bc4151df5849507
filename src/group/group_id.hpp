/// \file
/// The number of a subset, which each of its members works out for itself.
#pragma once

#include <cstdint>
#include <span>

namespace muster {

/// `members` are ranks of the job, in order; `count` is how many subsets of just these members the
/// parent has made before. Never 0, which is the world (docs/reference/formats.md, section 9).
std::uint64_t group_id(std::uint64_t parent, std::uint32_t view,
                       std::span<const std::uint32_t> members, std::uint64_t count);

}  // namespace muster
