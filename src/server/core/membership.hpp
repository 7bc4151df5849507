/// \file
/// The life of the job: ranks come, leave, fail and are lost; the job musters, is doomed, ends.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <muster/deadline.hpp>
#include <muster/roster.hpp>

#include "server/core/admission.hpp"
#include "server/core/core.hpp"
#include "server/core/gathering.hpp"
#include "server/core/leaving.hpp"
#include "server/core/outbox.hpp"
#include "server/core/peer.hpp"
#include "server/core/placing.hpp"
#include "server/core/roster.hpp"
#include "server/core/rounds.hpp"
#include "server/core/store_requests.hpp"

namespace muster::server {

/// Resource. Invariants:
/// 1. a job is doomed once; its failure is what everybody is told from then on;
/// 2. a doomed job's open requests are answered before its links are told;
/// 3. a rank that has left cannot be lost.
class Membership {
 public:
  /// All of these outlive it.
  Membership(const CoreOptions& options, Rounds& rounds, StoreRequests& store, TimePoint now);

  Standing standing() const;
  /// The newcomer has been judged and welcomed.
  void admit(const Peer& peer, LinkId link, const wire::ClientHello& hello, TimePoint now,
             Outbox& out);
  /// A newcomer wants a rank. It gets one when there are as many of its kind as unclaimed ranks.
  void seek(LinkId link, wire::ClientHello hello, TimePoint now, Outbox& out);
  /// The seekers that have their ranks now, which are to be welcomed and admitted; none: not yet.
  std::vector<Placing::Seeker> take_placed();
  /// The seekers for whom there will be no rank: the job has failed, or the server stops.
  std::vector<Placing::Seeker> take_dismissed();
  /// A seeker's link is gone; does nothing if it is none.
  void lose_seeker(LinkId link, std::string_view why, Outbox& out);
  /// A rank's link is gone.
  void unlink(const Peer& peer, LinkId link, std::string_view why, TimePoint now, Outbox& out);

  /// Requests of a rank's link.
  void fail(Bytes body, const ReplyTo& to, const Peer& peer, TimePoint now, Outbox& out);
  void leave(Bytes body, const ReplyTo& to, const Peer& peer, TimePoint now, Outbox& out);

  void doom(Failure failure, Outbox& out);
  /// Who waits for the others to leave is told who has not: nobody hears of it any more.
  void stop(const Doing& doing, TimePoint now, Outbox& out);

  void expire(const Doing& doing, TimePoint now, Outbox& out);
  std::optional<TimePoint> next_deadline() const;

  const Roster& roster() const { return roster_; }
  const Leaving& leaving() const { return leaving_; }
  std::uint32_t seekers() const { return placing_.count(); }
  const Placing& placing() const { return placing_; }
  JobStatus::Stage stage() const;
  const std::optional<Failure>& failure() const { return failure_; }
  /// Set when `failure` is.
  const SharedFailure& shared_failure() const { return shared_failure_; }
  /// Why nobody comes in any more: the failure, or that the server stops.
  const SharedFailure& parting() const { return failure_ ? shared_failure_ : stopping_failure_; }

 private:
  void set_size(std::uint32_t size, TimePoint now);
  void complete(Outbox& out);
  std::string presence() const;
  void lose(const Ranks& ranks, std::string_view why, TimePoint now, Outbox& out);
  void end_if_all_gone(Outbox& out);
  Failure not_left(const Doing& doing, Duration waited) const;

  const CoreOptions& options_;
  Rounds& rounds_;
  StoreRequests& store_;

  Roster roster_;
  Placing placing_;
  Gathering gathering_;
  Leaving leaving_;
  bool complete_ = false;
  bool ended_ = false;
  bool stopping_ = false;
  std::optional<Failure> failure_;
  SharedFailure shared_failure_;
  SharedFailure stopping_failure_;  ///< set by stop()
};

}  // namespace muster::server
