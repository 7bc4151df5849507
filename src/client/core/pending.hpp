/// \file
/// The client's pure core: requests in flight by sequence number, and what the server says unasked.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include <muster/bytes.hpp>
#include <muster/result.hpp>
#include <muster/roster.hpp>

#include "client/core/caller.hpp"
#include "wire/frame.hpp"

namespace muster::client {

/// One request in flight. A driver derives from it what the request's waiter sleeps on. It stays
/// where it is, and is used again for a later request: the driver sets up its own part for each.
struct Slot {
  virtual ~Slot() = default;
  bool done = false;
  Reply reply;
};
using MakeSlot = std::unique_ptr<Slot> (*)();

template <class Derived>
std::unique_ptr<Slot> make_slot() {
  return std::make_unique<Derived>();
}

/// Value. Who is told what the server pushes for one request. `ended`: nobody any more, also not of
/// what has arrived.
struct Watch {
  OnPush on_push;
  bool ended = false;
};

/// Resource; not thread-safe: its driver guards it.
///
/// A flat table: the low bits of a ticket are its place. A number whose place is still taken is
/// passed over, so there is nothing to search; at most half of the places are taken.
class Pending {
 public:
  /// What became of a frame.
  enum class Taken : std::uint8_t {
    answered,   ///< `slot` is done
    notice,     ///< the job is doomed or the server is leaving: `failure` says why
    pushed,     ///< the body is for `watch`
    unclaimed,  ///< for a request that was forgotten, or a watch that has ended
    broken,     ///< no answer to anything, or malformed: the link is to be closed
  };
  struct Outcome {
    Taken taken = Taken::unclaimed;
    Slot* slot = nullptr;  ///< also with a notice, if it answers the hello
    std::optional<Failure> failure = {};
    std::shared_ptr<Watch> watch = {};
  };

  /// Value. What a bad answer carries: a Failure, or whatever it is, taken as it comes.
  enum class BadAnswers : std::uint8_t { failures, raw };

  /// `given`: as if so many numbers had been given already.
  explicit Pending(MakeSlot make, std::uint64_t given = 0,
                   BadAnswers bad_answers = BadAnswers::failures)
      : make_(make), given_(given), bad_answers_(bad_answers) {}

  /// Enters a slot under the next free sequence number. Ticket 0, the hello, is what the first call
  /// gives.
  Ticket add();
  /// The same for a request whose answer pushes follow. Its number stays taken until end_watch().
  Ticket add_watch(OnPush on_push);
  /// Returns the watch, which is ended now; null if there is none.
  std::shared_ptr<Watch> end_watch(Ticket ticket);
  /// Gives the slot up, and returns its answer. If it has none yet, the answer, when it comes, is
  /// unclaimed.
  std::optional<Reply> remove(Ticket ticket);
  /// Null if there is none.
  Slot* find(Ticket ticket);

  /// Takes a frame in. `mustered` answers ticket 0; `doomed` and `server_leaving` answer it badly
  /// if it is still open.
  Outcome take(const wire::FrameHeader& header, Bytes body);

  /// Every slot without an answer: when the link is down, its driver wakes their waiters.
  template <class Each>
  void each_open(Each&& each) {
    for (Place& place : places_) {
      if (place.slot && !place.slot->done) each(*place.slot);
    }
  }
  std::size_t size() const { return size_; }

 private:
  Outcome take_notice(const wire::FrameHeader& header, Bytes body);
  Outcome take_push(const wire::FrameHeader& header);
  Outcome take_reply(const wire::FrameHeader& header, Bytes body);

  struct Place {
    Ticket ticket = 0;
    std::unique_ptr<Slot> slot;
  };
  Place& place(Ticket ticket) { return places_[ticket & (places_.size() - 1)]; }
  void grow();

  MakeSlot make_;
  std::vector<Place> places_;  ///< a power of two
  std::size_t size_ = 0;       ///< so many are taken
  std::vector<std::unique_ptr<Slot>> spare_;
  std::unordered_map<Ticket, std::shared_ptr<Watch>> watches_;
  std::uint64_t given_;  ///< so many numbers
  BadAnswers bad_answers_;
};

}  // namespace muster::client
