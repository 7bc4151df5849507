/// \file
/// What the core wants done. The driver's duties, in this order:
/// 1. do the actions of a step in the order they stand, before the next step;
/// 2. a Send is queued on its link, never waited for; a link that is gone swallows it;
/// 3. a Close takes effect after the link's earlier Sends have been written or have failed, and is
///    answered by no event: the core has forgotten the link;
/// 4. what a step has left of a Received (`Actions::untaken`) is given to the core again, in a
///    Received before any other of that link; others' events may come in between;
/// 5. after each step call the core again at next_deadline(), if nothing else happens before.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include <muster/bytes.hpp>
#include <muster/deadline.hpp>
#include <muster/log.hpp>
#include <muster/roster.hpp>

namespace muster::server {

/// Names one connection, from Opened to Closed or Close; the driver never uses a number again.
using LinkId = std::uint64_t;

/// A body that many answers share.
using Shared = std::shared_ptr<const Value>;

/// The bytes are `Actions::bytes[offset, offset + length)`, then those of `tail`, if there is one.
struct Send {
  LinkId link = 0;
  std::size_t offset = 0;
  std::size_t length = 0;
  Shared tail;
};
struct Close {
  LinkId link = 0;
};
/// The link's peer gives signs of life: what it leaves unacknowledged for so long, it will not take
/// any more.
struct Guard {
  LinkId link = 0;
  Duration time{};
};
struct Log {
  LogLevel level = LogLevel::info;
  std::string line;
};
/// All ranks are in.
struct Mustered {};
/// The job failed, and why; said once.
struct Doomed {
  Failure failure;
};
/// Every rank has left, is lost or has failed: nobody will come any more. Said once.
struct Ended {};

using Action = std::variant<Send, Close, Guard, Log, Mustered, Doomed, Ended>;

/// Reused from step to step, so that the steady state allocates nothing.
struct Actions {
  std::vector<Action> list;
  Value bytes;
  /// So many bytes at the end of the Received were left: the step has done enough for one.
  std::size_t untaken = 0;

  void clear() { list.clear(), bytes.clear(), untaken = 0; }
};

}  // namespace muster::server
