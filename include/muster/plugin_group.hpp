/// \file
/// Groups whose ranks find each other by a plugin: MPI, another store, a callback of one's own.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include <muster/bytes.hpp>
#include <muster/deadline.hpp>
#include <muster/export.hpp>
#include <muster/group.hpp>
#include <muster/plugin.h>
#include <muster/result.hpp>

namespace muster {

/// Value.
struct PluginOptions {
  void* argument = nullptr;           ///< for the plugin; for MPI an MPI_Comm*, or null
  Value unique_id;                    ///< of make_plugin_id(), for plugins that need one
  std::optional<std::uint32_t> rank;  ///< for plugins that do not know it by themselves
  std::optional<std::uint32_t> size;
  Duration join_timeout = std::chrono::seconds{120};
  Duration operation_timeout = std::chrono::seconds{120};
};

/// Resource. All ranks that the plugin brought together. What it promises beside Group depends on
/// capabilities(), MUSTER_PLUGIN_* of <muster/plugin.h>:
/// - without EXCHANGE it is made of allgathers. Ranks that make different calls are still told
///   apart, alike on all ranks. But there is no subset, a rank that does not come is neither named
///   nor forgiven (the group is broken), and a bound is as good as the plugin's;
/// - without BOUNDED a call may overrun its deadline; without TELLS_MISSING and TELLS_LOST errors
///   do not say who;
/// - without ANY_THREAD all calls are for the thread that made the group, others are
///   `invalid_state`.
/// A plugin that breaks the contract (throws, returns what it may not) gives `protocol`, and the
/// group is broken.
class MUSTER_API PluginGroup : public Group {
 public:
  /// As it calls itself.
  virtual std::string_view plugin() const = 0;
  virtual std::uint64_t capabilities() const = 0;

  /// Ends the group for all ranks: their calls end with `rank_failed`. `exit_code`: 1 to 255.
  virtual Result<void> fail(std::string_view reason, int exit_code) = 0;

  /// Says goodbye and waits, bounded, until all ranks have. Its subsets must have ended: else
  /// `invalid_state`, and nothing has happened. `rank_missing` names who did not come, as far as
  /// the plugin knows; this rank has left all the same. The destructor leaves, too, but waits no
  /// more than a moment (100 ms) for others.
  virtual Result<void> leave(Deadline deadline = {}) = 0;
};

/// Loads a plugin and joins by it; returns when all ranks are in.
///
/// `name_or_path`: a path, if there is a '/' in it; else a name such as `mpi` or `store`, looked
/// for as `libmuster_NAME.so` in the folders of MUSTER_PLUGIN_PATH (separated by colons), then in
/// `muster/` beside the library. `mpi` is the one of `mpi_openmpi` and `mpi_mpich` whose MPI is
/// loaded in this process, or whose launcher has started it, or that is there.
///
/// A plugin stays loaded until the process ends. Errors: `invalid_argument` for a file that is
/// missing, no plugin, of another version, or contradicts itself: they name the file, what was
/// found and what was expected; `system` for what the loader says; and what the plugin says.
MUSTER_API Result<std::unique_ptr<PluginGroup>> make_plugin_group(
    std::string_view name_or_path, const PluginOptions& options = {});

/// The same with a plugin of this program, without a file. `table` lives until the process ends.
MUSTER_API Result<std::unique_ptr<PluginGroup>> make_group_over(const muster_plugin& table,
                                                                const PluginOptions& options = {});

/// Gives each rank's `mine`, of one size on all ranks, to all: `all` has room for them in order of
/// rank. An error breaks the group. It may wait longer than until `deadline`, but should not.
using AllgatherCallback =
    std::function<Result<void>(Bytes mine, std::span<std::byte> all, TimePoint deadline)>;

/// A group of nothing but an allgather, as every communication library has one. It is called from
/// the threads that call the group, one at a time, and until the group has ended. `options` says
/// rank and size.
MUSTER_API Result<std::unique_ptr<PluginGroup>> make_group_over(AllgatherCallback allgather,
                                                                const PluginOptions& options);

/// What one rank makes and all give to make_plugin_group() as `unique_id`; `unsupported` if the
/// plugin needs none.
MUSTER_API Result<Value> make_plugin_id(std::string_view name_or_path);

}  // namespace muster
