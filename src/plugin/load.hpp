/// \file
/// From a name to a plugin's table that has been checked.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <muster/plugin.h>
#include <muster/result.hpp>

namespace muster::plugin {

/// Value. The table lives until the process ends: nothing is ever unloaded, since what a plugin is
/// linked with (an MPI, say) may have left threads and handlers behind.
struct Loaded {
  const muster_plugin* table = nullptr;
  std::string name;  ///< as errors call it: what the plugin says, and its file if it has one
};

/// The file of a plugin, which is there. Errors: `invalid_argument`, with what was tried.
Result<std::string> find(std::string_view name_or_path);

/// As make_plugin_group() says.
Result<Loaded> load(std::string_view name_or_path);

/// What is wrong with a table by itself; `file` may be empty.
Result<Loaded> check(const muster_plugin* table, const std::string& file);

/// Where a plugin is looked for, in this order; `invalid_argument` for what is neither a path nor a
/// name.
Result<std::vector<std::string>> candidates(std::string_view name_or_path);

}  // namespace muster::plugin
