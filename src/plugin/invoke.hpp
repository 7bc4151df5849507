/// \file
/// The way into a plugin: nothing but a Result comes back, whatever the plugin does.
#pragma once

#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include <muster/deadline.hpp>
#include <muster/plugin.h>
#include <muster/result.hpp>

namespace muster::plugin {

/// Resource. The host's room for one error.
class ErrorRoom {
 public:
  ErrorRoom();
  ErrorRoom(const ErrorRoom&) = delete;
  ErrorRoom& operator=(const ErrorRoom&) = delete;
  muster_plugin_error* get() { return &room_; }
  /// What the plugin has said, made fit to be shown; `code` is what its function returned, not 0.
  Error error(std::string_view plugin, const char* function, int code) const;

 private:
  std::vector<char> what_;
  std::vector<char> advice_;
  std::vector<muster_plugin_rank> ranks_;
  muster_plugin_error room_{};
};

/// A plugin did what the interface forbids.
Error broken_contract(std::string_view plugin, const char* function, std::string_view how);

/// Calls `call(muster_plugin_error*)`, which calls the plugin's `function`. Exceptions end here.
template <class Call>
Result<void> invoke(std::string_view plugin, const char* function, Call&& call) {
  ErrorRoom room;
  int code = 0;
  try {
    code = call(room.get());
  } catch (const std::exception& thrown) {
    return broken_contract(plugin, function, std::string("threw an exception: ") + thrown.what());
  } catch (...) {
    return broken_contract(plugin, function, "threw an exception that is no std::exception");
  }
  if (code == 0) return {};
  return room.error(plugin, function, code);
}

/// A deadline as plugins are told it.
std::uint64_t to_ns(TimePoint deadline);

}  // namespace muster::plugin
