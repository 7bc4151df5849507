/// \file
/// What Slurm says about a step, taken apart.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/variables.hpp"

namespace muster {

/// The first host of a list as Slurm writes it: "node003" of `node[003-005,9],login`. Nothing if
/// that is no such list.
std::optional<std::string> first_host(std::string_view node_list);

/// Whether `host` stands in such a list.
bool lists(std::string_view node_list, std::string_view host);

/// The host of rank 0 of a step with that list: the first, since the list is sorted and so are the
/// ranks. The components of a heterogeneous job stay in the order the user gave them, though: there
/// it is the first host of the first component that is in the step. `look_up` finds their lists.
/// Nothing if a list is none.
std::optional<std::string> host_of_rank_0(std::string_view node_list, const Lookup& look_up);

/// Slurm names no port, so one is computed: 20480 to 32767, below what systems give to clients by
/// themselves. Steps that run on one host at the same time nearly always get different ones.
std::uint16_t step_port(std::uint32_t job, std::uint32_t step);

}  // namespace muster
