/// \file
/// What Slurm says about a step, taken apart.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace muster {

/// The first host of a list as Slurm writes it: "node003" of `node[003-005,9],login`. Nothing if
/// that is no such list.
std::optional<std::string> first_host(std::string_view node_list);

/// Slurm names no port, so one is computed: 20480 to 32767, below what systems give to clients by
/// themselves. Steps that run on one host at the same time nearly always get different ones.
std::uint16_t step_port(std::uint32_t job, std::uint32_t step);

}  // namespace muster
