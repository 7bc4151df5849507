/// \file
/// A group made of nothing but keys in a store, as the reference makes it: for stores that are only
/// key-value stores, and for jobs in which some ranks are the reference's.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>

#include <muster/deadline.hpp>
#include <muster/export.hpp>
#include <muster/group.hpp>
#include <muster/ids.hpp>
#include <muster/store.hpp>

namespace muster {

/// Value.
struct KeyGroupOptions {
  std::uint32_t version = 0;  ///< in every key: tells groups on one store apart
  Duration operation_timeout = std::chrono::seconds{120};
  Identity identity;  ///< what Group::identity() says; a store of keys knows of none
};

/// Rank `rank` of `size`, all of which use one `store`, which outlives the group. Barrier and
/// allgather only; everything else is `unsupported`. Its keys are the reference's:
///
///     SHM_(0)_S_{version}_{n}_BA  count of arrivals at barrier n = 1, 2, ...    ADD
///     SHM_(0)_S_{version}_{n}_BW  "ok" when all have                            SET, GET
///     SHM_(0)_S_{version}_{n}_GA  {u32 rank, payload} of each at allgather n    APPEND, GET
///     SHM_(0)_S_{version}_{n}_GW  "ok" when all have                            SET, GET
///
/// The first at round n, from the third on, removes the keys of round n - 2. A group of one rank
/// uses no key for a barrier. In a prefix view a '/' stands before the keys; the reference's own
/// prefixes are joined without one.
///
/// It promises less than Group does, for keys can't carry more:
/// - arrivals are counted, not ranks: a rank that arrives twice passes for one that is missing;
/// - a time-out is each rank's own: others may have passed, or may yet. It stays counted, so a late
///   rank can complete the round by itself. `rank_missing` tells how many came; only an allgather
///   knows who. Ranks stay in step only if all go on to the next round;
/// - labels and roots are not compared; unequal sizes of an allgather are a `mismatch` where they
///   are seen, a time-out elsewhere;
/// - nobody learns that a rank is lost, but by waiting until the deadline;
/// - keys of an earlier start of the job in the same store make a barrier pass early: use another
///   `version`, or an empty store.
MUSTER_API std::unique_ptr<Group> make_key_group(Store& store, std::uint32_t rank,
                                                 std::uint32_t size, KeyGroupOptions options = {});

}  // namespace muster
