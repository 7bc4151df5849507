/// \file
/// What ranks ask of their groups: to open and close one, to take part in a round.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <muster/roster.hpp>

#include "server/core/groups.hpp"
#include "server/core/peer.hpp"
#include "wire/group_messages.hpp"

namespace muster::server {

/// Resource. The world exists from the moment the job's size is known; subsets as their members
/// want.
class Rounds {
 public:
  explicit Rounds(std::size_t round_bytes_max) : groups_(round_bytes_max) {}

  void open_world(std::uint32_t size) { groups_.open_world(size); }

  /// Requests of `peer`, which is a rank's. An ARRIVE is answered now or later, exactly once.
  void arrive(Bytes body, const ReplyTo& from, const Peer& peer, const Roster& roster,
              TimePoint now, Outbox& out);
  void open_group(Bytes body, const ReplyTo& from, const Peer& peer, const Roster& roster,
                  Outbox& out);
  void close_group(Bytes body, const ReplyTo& from, const Peer& peer, const Roster& roster,
                   Outbox& out);

  /// To be called before the roster hears of it, and while the ranks still have their names.
  void leave(const Ranks& ranks, const Roster& roster, Outbox& out);
  void lose(const Ranks& ranks, const SharedFailure& failure, Outbox& out);
  /// The link of `ranks`, before they are lost: no answer is sent to a link that is gone.
  void drop_link(LinkId link, const Ranks& ranks);
  /// These ranks will not come any more.
  void forget(const Ranks& ranks);
  /// All groups, and those that would be opened.
  void break_off(const SharedFailure& failure, Outbox& out);
  /// Why the world is broken, or null.
  const SharedFailure* world_broken() const;

  void expire(const Roster& roster, const Doing& doing, TimePoint now, Outbox& out);
  std::optional<TimePoint> next_deadline() const { return groups_.next_deadline(); }

  /// "barrier 'a' #1", or several, or empty.
  std::string waiting_in(std::uint32_t rank) const;
  /// The world's first, at most `rounds_max`.
  std::vector<OpenRound> open_rounds(TimePoint now, std::size_t rounds_max) const;
  /// Subsets.
  std::size_t subsets() const { return groups_.subsets(); }
  /// Subsets, rounds and tombstones.
  std::size_t size() const { return groups_.items(); }

 private:
  void make_group(wire::OpenGroup request, const Roster& roster, Outbox& out);
  std::optional<Failure> full(const wire::OpenGroup& request) const;

  Groups groups_;
  std::optional<SharedFailure> over_;  ///< why no group can be opened any more
};

}  // namespace muster::server
