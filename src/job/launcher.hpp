/// \file
/// A process's place in its job, from the variables of whatever launched it. Pure: it looks nothing
/// up by itself.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <muster/result.hpp>

#include "base/variables.hpp"

namespace muster {

/// Value. What MUSTER_* say already; a launcher is asked for the rest.
struct Known {
  std::optional<std::uint32_t> rank;
  std::optional<std::uint32_t> size;
  bool address = false;
};

/// Value.
struct Launched {
  std::uint32_t rank = 0;
  std::uint32_t size = 0;
  std::string url;         ///< empty if the address is known already
  std::string url_origin;  ///< the variables that `url` was made from
  std::string job_id;      ///< empty if the launcher has no name for this job
};

/// Rank and size, each from MUSTER_* or from the launcher; and an address, if it is not known, from
/// the launcher. docs/reference/environment.md has the rules: which launchers are known, and who
/// wins when several have left their variables.
///
/// `invalid_argument` for a set that is incomplete or does not fit together, a value that cannot be
/// parsed, launchers that contradict each other, and a job of more than one without an address: it
/// names the variables, those that were seen and those to set. Never a job of one by mistake.
Result<Launched> ask_launcher(const Lookup& look_up, const Known& known);

}  // namespace muster
