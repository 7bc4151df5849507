/// \file
/// The client's pure core: requests in flight by sequence number, and what the server says unasked.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <unordered_map>

#include <muster/bytes.hpp>
#include <muster/result.hpp>
#include <muster/roster.hpp>

#include "client/core/caller.hpp"
#include "wire/frame.hpp"

namespace muster::client {

/// One request in flight. The driver derives from it what its waiters sleep on.
struct Slot {
  bool done = false;
  Reply reply;
};

/// Resource; not thread-safe: its driver guards it. Slots belong to the driver and live until they
/// are removed.
class Pending {
 public:
  /// What became of a frame.
  enum class Taken : std::uint8_t {
    answered,   ///< `slot` is done
    notice,     ///< `failure` may be set: the job is doomed, or the server is leaving
    unclaimed,  ///< the answer to a request that was forgotten
    broken,     ///< no answer to anything, or malformed: the link is to be closed
  };
  struct Outcome {
    Taken taken = Taken::unclaimed;
    Slot* slot = nullptr;
    std::optional<Failure> failure;
  };

  /// Enters `slot` under the next sequence number. Ticket 0, the hello, is entered by the first
  /// call.
  Ticket add(Slot& slot);
  /// Gone before its answer: the answer, when it comes, is unclaimed.
  void remove(Ticket ticket);
  Slot* find(Ticket ticket);

  Outcome take(const wire::FrameHeader& header, Bytes body);

  /// Every slot without an answer: when the link is down, its driver wakes their waiters.
  template <class Each>
  void each_open(Each&& each) {
    for (auto& [ticket, slot] : slots_) {
      if (!slot->done) each(*slot);
    }
  }
  std::size_t size() const { return slots_.size(); }

 private:
  std::unordered_map<Ticket, Slot*> slots_;
  Ticket next_ = muster_ticket;
};

}  // namespace muster::client
