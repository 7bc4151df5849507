/// \file
/// An ordered set of ranks that do things together.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include <muster/bytes.hpp>
#include <muster/deadline.hpp>
#include <muster/digest.hpp>
#include <muster/export.hpp>
#include <muster/ids.hpp>
#include <muster/kind.hpp>
#include <muster/parts.hpp>
#include <muster/result.hpp>

namespace muster {

/// Value. One rank's side of a collective. All ranks must say the same kind, label, root and token,
/// and, for allgather and alltoall, the same payload size; a difference is a `mismatch` on every
/// rank.
struct Call {
  Kind kind = Kind::barrier;
  std::string_view label;  ///< the call site's name, shown when ranks disagree; at most 255 bytes
  Bytes payload;  ///< empty for barrier, scatter, alltoall, and for broadcast on all but the root
  std::uint32_t root = 0;  ///< of broadcast, gather and scatter
  Digest token{};          ///< what an exchange is bound to; zero otherwise
  /// One for each rank: of a scatter, on its root; of an alltoall, on each rank, all of one size.
  std::span<const Bytes> payloads{};
};

/// Resource. A group handle takes one collective at a time, from any thread; a second one while one
/// is in flight is `busy`. Different groups do not wait for each other.
///
/// A round (one collective of all ranks) ends in one verdict, and no two ranks ever get different
/// ones:
/// - all arrived: `ok`;
/// - the earliest deadline of those who arrived has come: `rank_missing`, naming the missing. The
///   group stays usable: a late rank gets this same verdict at once and is in step again;
/// - ranks disagree: `mismatch`, naming both sides; a member is gone: `rank_lost`, `rank_left` or
///   `rank_failed`, naming it. The group is broken for good and later calls fail at once, alike;
/// - the payloads together are over the round's bound: `limit`.
/// A call refused locally (`invalid_argument`, `busy`, `limit` for its own payload) was not sent
/// and is no round.
class MUSTER_API Group {
 public:
  virtual ~Group() = default;

  virtual Identity identity() const = 0;
  /// The clock that deadlines of this group are measured on; virtual in a simulation.
  virtual TimePoint now() const = 0;
  /// `deadline` as an absolute time, once, at the entry of a protocol of several rounds.
  virtual TimePoint resolve(Deadline deadline) const = 0;
  virtual std::uint32_t rank() const = 0;
  virtual std::uint32_t size() const = 0;
  /// Which rank of the job the group's rank `rank`, less than size(), is. Errors name ranks so.
  virtual std::uint32_t rank_in_job(std::uint32_t rank) const = 0;

  /// A group of some of this one's ranks, made by its members alone: each calls this with the same
  /// `members`, ranks of this group in the order that gives them their new ranks, this rank among
  /// them. Members make the subsets that they share in the same order, also those of the same
  /// members. Nobody is waited for: members meet in the first collective, and one that never comes
  /// is missed there. A group that carries its rounds itself may wait, until `deadline`.
  ///
  /// The subset is a group by itself: it goes on when this one is broken or ended, and takes rounds
  /// at the same time, from other threads. To end it is to close it, for this rank: a member that
  /// is in a round of it, or comes to one later, is told so (`mismatch`, `rank_left`). It must end
  /// before its job. What it costs the server is freed when all members have closed it or are gone.
  ///
  /// Errors: `invalid_argument` for no members, one twice, one that is no rank of this group, or
  /// not this rank; what the link says if it is down. A rank is in at most 1,024 subsets at a time:
  /// one more is `limit`, which the first collective of it returns, and it is broken then.
  virtual Result<std::unique_ptr<Group>> subset(std::span<const std::uint32_t> members,
                                                Deadline deadline = {}) = 0;

  /// Takes part in one round; the one thing that an implementation must give. Returns the parts in
  /// order of rank: none for a barrier, the root's alone for a broadcast, the rank's own for a
  /// scatter, those for the rank from all for an alltoall, all for the rest; a gather gives them to
  /// its root and nothing to the others.
  virtual Result<Parts> arrive(const Call& call, Deadline deadline) = 0;

  /// Waits for all ranks.
  Result<void> barrier(std::string_view label = {}, Deadline deadline = {});

  /// The root's payload, on every rank. `payload` counts on the root only.
  Result<Value> broadcast(Bytes payload, std::uint32_t root, std::string_view label = {},
                          Deadline deadline = {});

  /// Every rank's payload on the root, in order of rank; empty on the others. Sizes may differ.
  Result<Parts> gather(Bytes payload, std::uint32_t root, std::string_view label = {},
                       Deadline deadline = {});

  /// To each rank the payload that the root has for it: `payloads` counts on the root only, where
  /// it holds one for each rank, in order of rank; another number is `invalid_argument`. Sizes may
  /// differ. The round's bound holds for all of them together, with 4 bytes for each and 4 more.
  Result<Value> scatter(std::span<const Bytes> payloads, std::uint32_t root,
                        std::string_view label = {}, Deadline deadline = {});

  /// Every rank's payload on every rank, in order of rank; all of one size, or it is a `mismatch`.
  Result<Parts> allgather(Bytes payload, std::string_view label = {}, Deadline deadline = {});

  /// The same, sizes may differ.
  Result<Parts> allgatherv(Bytes payload, std::string_view label = {}, Deadline deadline = {});

  /// From each rank what it has for this one, in order of rank. `payloads` holds one for each rank,
  /// in order of rank; another number, or sizes that differ, is `invalid_argument`, and another
  /// size than the other ranks' is a `mismatch`. The round's bound holds for all of them together,
  /// with 4 bytes for each and 4 more for each rank: so not beyond 4,095 ranks.
  Result<Parts> alltoall(std::span<const Bytes> payloads, std::string_view label = {},
                         Deadline deadline = {});

  /// An allgatherv bound to `token`: ranks in other phases, or holding other tokens, are told
  /// apart. What protocols are built on.
  Result<Parts> exchange(std::string_view phase, const Digest& token, Bytes payload,
                         Deadline deadline);
};

}  // namespace muster
