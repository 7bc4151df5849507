/// \file
/// A rank of a group whose links are carried in messages: rank 0 has the server, and all have a
/// link to it.
#pragma once

#include <cstdint>
#include <memory>

#include "common/group_plugin.hpp"
#include "mpi/messages.hpp"

namespace muster::plugins {

/// Who carries the messages.
enum class Carrier : std::uint8_t {
  own_thread,  ///< a thread that does nothing else
  caller,      ///< the calling thread, while a call of its rank runs on another one
};

/// Joins; returns when all ranks are in. Closes `messages`, also on failure.
Result<std::unique_ptr<Member>> join_tunnel(std::unique_ptr<Messages> messages, Carrier carrier,
                                            TimePoint deadline);

}  // namespace muster::plugins
