/// \file
/// A join by plugin, made into one by rank, size and unique id.
#pragma once

#include <memory>

#include <muster/join_options.hpp>
#include <muster/plugin_group.hpp>

namespace muster {

/// Joins by `options.plugin`, if there is one, and fills in what it knows: rank and size. If rank 0
/// says no address, it makes a unique id, and all ranks get it over the plugin: all fail alike if
/// it can't. Nothing without a plugin.
Result<void> use_plugin(JoinOptions& options, std::unique_ptr<PluginGroup>& group,
                        TimePoint deadline);

}  // namespace muster
