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

#include "server/core/members.hpp"
#include "server/core/round.hpp"

namespace muster::server {

/// What a rank is doing, for those who miss it: "has not joined", "is in get 'addr/3'".
using Doing = std::function<std::string(std::uint32_t rank)>;

enum class Going : std::uint8_t;

/// Resource. Within, members go by their seats, outside by their ranks in the job. Invariants:
/// 1. at most one round is open; each rank passes the rounds in order, 1, 2, 3, ...;
/// 2. a rank that has not arrived at a round that is over finds a tombstone there, or the group
///    broken with that round's verdict: no two ranks ever get different verdicts of one round;
/// 3. a tombstone lives until its last living rank has passed it; at most limits::tombstones_max.
class GroupRounds {
 public:
  GroupRounds(Members members, std::size_t round_bytes_max);

  const Members& members() const { return members_; }
  /// Members that may still come to a round.
  std::uint32_t present() const { return present_; }

  /// Answers `from`, at once or when its round ends. The ranks of `arrive` are seats, ascending;
  /// all are the peer's, and living.
  void arrive(const wire::Arrive& arrive, const ReplyTo& from, const Roster& roster, TimePoint now,
              Outbox& out);

  /// These ranks say goodbye: who is in a round is told by `mismatch`, who comes later by
  /// `rank_left`. Here and below: ranks that are no members do not matter.
  void leave(const Ranks& ranks, Going how, const Roster& roster, Outbox& out);
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
  bool has_arrived(std::uint32_t seat) const { return arrived_[seat] >= round_.sequence(); }
  Ranks seats(bool arrived) const;
  Ranks ranks(bool arrived) const { return members_.ranks_of(seats(arrived)); }
  Failure in_group(Failure failure) const;
  std::string in_group(std::string call) const;

  Members members_;
  std::size_t round_bytes_max_;
  std::vector<std::uint64_t> arrived_;  ///< by seat: the last round that it has arrived at
  std::uint32_t present_;
  Round round_;
  std::uint64_t ended_ = 0;  ///< the last round that is over
  std::map<std::uint64_t, Tombstone> tombstones_;
  std::optional<SharedFailure> broken_;
};

}  // namespace muster::server
