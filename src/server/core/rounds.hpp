/// \file
/// All groups and their rounds.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <muster/roster.hpp>

#include "server/core/group_rounds.hpp"
#include "server/core/peer.hpp"

namespace muster::server {

/// Resource. Groups by their id; now only the world exists, from the moment the size is known.
class Rounds {
 public:
  explicit Rounds(std::size_t round_bytes_max) : round_bytes_max_(round_bytes_max) {}

  void open_world(std::uint32_t size);

  /// An ARRIVE of `peer`, which is a rank's. Answered now or later, exactly once.
  void arrive(Bytes body, const ReplyTo& from, const Peer& peer, const Roster& roster,
              TimePoint now, Outbox& out);

  /// To be called before the roster hears of it, and while the ranks still have their names.
  void leave(const Ranks& ranks, const Roster& roster, Outbox& out);
  void lose(const Ranks& ranks, const SharedFailure& failure, Outbox& out);
  /// Before its ranks are lost: no answer is sent to a link that is gone.
  void drop_link(LinkId link);
  /// These ranks will not come any more.
  void forget(const Ranks& ranks);
  void break_off(const SharedFailure& failure, Outbox& out);
  /// Why the world is broken, or null.
  const SharedFailure* world_broken() const;

  void expire(const Roster& roster, const Doing& doing, TimePoint now, Outbox& out);
  std::optional<TimePoint> next_deadline() const;

  std::string waiting_in(std::uint32_t rank) const;
  std::vector<OpenRound> open_rounds(TimePoint now) const;
  /// Rounds and tombstones.
  std::size_t size() const;

 private:
  std::size_t round_bytes_max_;
  std::map<std::uint64_t, GroupRounds> groups_;
};

}  // namespace muster::server
