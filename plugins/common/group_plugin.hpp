/// \file
/// A plugin whose group is a muster::Group already: what is between C and C++ is here, once.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include <muster/group.hpp>
#include <muster/plugin.h>

namespace muster::plugins {

/// Resource. One rank that has joined.
class Member {
 public:
  virtual ~Member() = default;
  virtual Group& world() = 0;
  /// MUSTER_PLUGIN_*: those of the table's that hold for this member.
  virtual std::uint64_t capabilities() const = 0;
  virtual Result<void> fail(const std::string& reason, int exit_code) = 0;
  /// Leaves; nothing else is called afterwards.
  virtual Result<void> leave(TimePoint deadline) = 0;
  /// Does a call of a group, which may block. For a member that has to do something meanwhile.
  virtual void run(const std::function<void()>& call) { call(); }
};

/// Value. What init was given.
struct Start {
  void* argument = nullptr;
  Bytes unique_id;
  std::uint32_t rank = 0;
  std::uint32_t ranks = 0;
  TimePoint deadline;
};

using Join = Result<std::unique_ptr<Member>> (*)(const Start& start);

/// What such a plugin can do by itself; the rest is its member's.
inline constexpr std::uint64_t group_functions = MUSTER_PLUGIN_EXCHANGE | MUSTER_PLUGIN_BARRIER |
                                                 MUSTER_PLUGIN_ALLGATHER | MUSTER_PLUGIN_ALLTOALL |
                                                 MUSTER_PLUGIN_SUBSETS | MUSTER_PLUGIN_FAIL;

/// A table without get_unique_id and init. `capabilities` holds group_functions.
muster_plugin group_plugin(const char* name, std::uint64_t capabilities);

/// The body of init: whatever `join` throws is an error, too.
int begin(const muster_plugin_start* start, muster_plugin_world* world, muster_plugin_error* error,
          Join join);

/// Writes `why` as far as there is room, and returns its code.
int report(const Error& why, muster_plugin_error* error);

}  // namespace muster::plugins
