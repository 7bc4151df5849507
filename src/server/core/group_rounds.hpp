/// \file
/// The rounds of one group, one after the other.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <muster/roster.hpp>

#include "server/core/round.hpp"

namespace muster::server {

/// What a rank is doing, for those who miss it: "has not joined", "is in get 'addr/3'".
using Doing = std::function<std::string(std::uint32_t rank)>;

/// Resource. Invariants:
/// 1. at most one round is open; each rank passes the rounds in order, 1, 2, 3, ...;
/// 2. a rank that has not arrived at a round that is over finds a tombstone there, or the group
///    broken with that round's verdict: no two ranks ever get different verdicts of one round;
/// 3. a tombstone lives until its last living rank has passed it; at most limits::tombstones_max.
class GroupRounds {
 public:
  GroupRounds(std::uint32_t size, std::size_t round_bytes_max);

  /// Answers `from`, at once or when its round ends. All ranks of `arrive` are the peer's, and
  /// living.
  void arrive(const wire::Arrive& arrive, const ReplyTo& from, const Roster& roster, TimePoint now,
              Outbox& out);

  /// These ranks say goodbye: who is in a round is told by `mismatch`, who comes later by
  /// `rank_left`.
  void leave(const Ranks& ranks, const Roster& roster, Outbox& out);
  /// These ranks are lost or have failed.
  void lose(const Ranks& ranks, const SharedFailure& failure, Outbox& out);
  void drop_link(LinkId link) { round_.drop_link(link); }
  /// These ranks will not come any more: no tombstone waits for them.
  void forget(const Ranks& ranks);
  /// Ends the open round with `failure`, and all that would come. The first reason stays.
  void break_off(const SharedFailure& failure, Outbox& out);
  /// Why all that would come is ended; null while the group is sound.
  const SharedFailure* broken() const { return broken_ ? &*broken_ : nullptr; }

  /// Ends the open round if it is due.
  void expire(const Roster& roster, const Doing& doing, TimePoint now, Outbox& out);
  std::optional<TimePoint> next_deadline() const;

  /// The open round that `rank` has arrived at, or empty.
  std::string waiting_in(std::uint32_t rank) const;
  std::optional<OpenRound> open_round(TimePoint now) const;
  std::size_t tombstones() const { return tombstones_.size(); }

 private:
  struct Tombstone {
    SharedFailure verdict;
    std::uint32_t pending = 0;  ///< living ranks that have yet to pass
  };

  bool passes_ended(const wire::Arrive& arrive, const ReplyTo& from, Outbox& out);
  std::optional<std::string> out_of_step(const wire::Arrive& arrive) const;
  void enter(const wire::Arrive& arrive, const ReplyTo& from, const Roster& roster, TimePoint now,
             Outbox& out);
  void mark_arrived(const wire::Arrive& arrive);
  void end_with_tombstone(Failure failure, Outbox& out);
  bool has_arrived(std::uint32_t rank) const { return arrived_[rank] >= round_.sequence(); }
  Ranks members(bool arrived) const;

  std::size_t round_bytes_max_;
  std::vector<std::uint64_t> arrived_;  ///< by rank: the last round that it has arrived at
  Round round_;
  std::uint64_t ended_ = 0;  ///< the last round that is over
  std::map<std::uint64_t, Tombstone> tombstones_;
  std::optional<SharedFailure> broken_;
};

}  // namespace muster::server
