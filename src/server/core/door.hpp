/// \file
/// Where links are before they are admitted: their hello is awaited, judged and answered.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include <muster/bytes.hpp>
#include <muster/deadline.hpp>

#include "base/random.hpp"
#include "server/core/core.hpp"
#include "server/core/heart.hpp"
#include "server/core/membership.hpp"
#include "server/core/outbox.hpp"
#include "server/core/peer.hpp"
#include "server/core/sources.hpp"
#include "server/core/strangers.hpp"
#include "wire/proofs.hpp"

namespace muster::server {

/// Resource. Peers are the caller's; it drops those that are turned away.
class Door {
 public:
  /// All of these outlive it.
  Door(const CoreOptions& options, Random& random, Membership& members, Heart& heart);

  /// Returns the stranger to be turned away for it, if it is one too many.
  std::optional<LinkId> opened(LinkId link, const Peer& peer, TimePoint now) {
    return strangers_.opened(link, source_of(peer.address()), now);
  }
  /// Room is needed: the stranger to be turned away, if there is any.
  std::optional<LinkId> take_one() { return strangers_.take_one(); }

  enum class Entry : std::uint8_t { waiting, admitted, turned_away };
  /// The next bytes of a stranger. When it is admitted, `bytes` are those behind its hello.
  Entry take(LinkId link, Peer& peer, Bytes& bytes, TimePoint now, Outbox& out);

  /// A stranger is not a silent one, though nothing of it has come this far.
  void spoke(LinkId link) { strangers_.spoke(link); }
  /// It is known to belong to the job.
  void vouch(LinkId link, Peer& peer) {
    peer.vouch();
    strangers_.vouched(link);
  }

  /// Lets a newcomer in that has been judged, and says so. `proof` is the server's, if it asked for
  /// the newcomer's.
  void welcome(LinkId link, Peer& peer, const wire::ClientHello& hello, TimePoint now, Outbox& out,
               const Digest& proof = {});

  /// Who waits for its rank has sent something.
  Entry too_early(LinkId link, const Peer& peer, TimePoint now, Outbox& out);

  /// Closes the link, with a line in the log.
  void turn_away(LinkId link, const Peer& peer, std::string_view why, TimePoint now, Outbox& out);
  /// One line about a peer, unless its source has had one lately.
  void complain(const Peer& peer, std::string_view why, TimePoint now, Outbox& out);
  /// The link has closed; does nothing if it is no stranger.
  void gone(LinkId link) { strangers_.gone(link); }

  /// Those who have had their time, to be turned away.
  std::vector<LinkId> take_due(TimePoint now) { return strangers_.take_due(now); }
  std::optional<TimePoint> next_deadline() const { return strangers_.next_deadline(); }

 private:
  Entry greet(LinkId link, Peer& peer, Bytes hello, TimePoint now, Outbox& out);
  Entry greet_version0(LinkId link, Peer& peer, Bytes hello, TimePoint now, Outbox& out);
  Value say_hello(LinkId link, wire::Auth auth, Outbox& out);
  std::optional<Failure> check_security(const Peer& peer, const wire::ClientHello& hello) const;
  Entry check_proof(LinkId link, Peer& peer, Bytes& bytes, TimePoint now, Outbox& out);
  Entry judged(LinkId link, Peer& peer, const wire::ClientHello& hello, TimePoint now, Outbox& out,
               const Digest& proof = {});
  Entry refuse(LinkId link, const Peer& peer, const Failure& failure, TimePoint now, Outbox& out);

  const CoreOptions& options_;
  Random& random_;
  Membership& members_;
  Heart& heart_;
  std::optional<wire::ProofKeys> keys_;  ///< if there is a secret
  Strangers strangers_;
  Sources sources_;
};

}  // namespace muster::server
