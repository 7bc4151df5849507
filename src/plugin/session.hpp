/// \file
/// A plugin that has joined, until it has left.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <thread>

#include <muster/ids.hpp>
#include <muster/plugin_group.hpp>

#include "base/fork.hpp"
#include "plugin/load.hpp"

namespace muster::plugin {

/// Resource; shared by the groups made of it, and ended with the last of them at the latest.
class Session {
 public:
  /// Joins. `loaded` has been checked.
  static Result<std::shared_ptr<Session>> begin(const Loaded& loaded, const PluginOptions& options);
  explicit Session(Loaded loaded) : loaded_(std::move(loaded)) {}
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  ~Session();

  const muster_plugin& table() const { return *loaded_.table; }
  const std::string& name() const { return loaded_.name; }
  const muster_plugin_world& world() const { return world_; }
  bool can(std::uint64_t capability) const { return (world_.capabilities & capability) != 0; }
  Incarnation incarnation() const { return incarnation_; }
  Duration operation_timeout() const { return operation_timeout_; }

  /// False in a forked child of the process that joined: the plugin is its parent's.
  bool at_home() const { return home_.here(); }
  /// Whether a call may be made now, in this process, on this thread.
  Result<void> usable() const;
  /// Leaves; `invalid_state` for the second time, and while subsets are open.
  Result<void> finish(TimePoint deadline);

  void subset_opened() { ++subsets_; }
  void subset_closed() { --subsets_; }

 private:
  Result<void> start(const PluginOptions& options);
  Result<void> check_world() const;
  Result<void> settle_incarnation(TimePoint deadline);

  const HomeProcess home_;
  Loaded loaded_;
  muster_plugin_world world_{};
  Incarnation incarnation_;
  Duration operation_timeout_{};
  std::thread::id thread_ = std::this_thread::get_id();
  std::atomic<int> subsets_ = 0;
  std::atomic<bool> open_ = false;
};

}  // namespace muster::plugin
