/// \file
/// Subsets: a group made by its members alone, and given up by each for itself.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <muster/bytes.hpp>

namespace muster::wire {

/// {u64 group, u32 members, u32 each}. The members are ranks of the job, in the order of their
/// ranks in the group; one at least. Every member says it once, before its first arrival; who says
/// it first makes the group. Answer: empty.
struct OpenGroup {
  std::uint64_t group = 0;
  std::vector<std::uint32_t> members;
};
void encode(const OpenGroup& request, Value& out);
std::optional<OpenGroup> decode_open_group(Bytes body);

/// {u64 group, u32 ranks, u32 each}. These ranks of the job, ascending and of the sender, come to
/// no round of the group any more. Answer: empty, also if there is no such group (any more).
struct CloseGroup {
  std::uint64_t group = 0;
  std::vector<std::uint32_t> ranks;
};
void encode(const CloseGroup& request, Value& out);
std::optional<CloseGroup> decode_close_group(Bytes body);

}  // namespace muster::wire
