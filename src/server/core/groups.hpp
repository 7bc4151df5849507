/// \file
/// All groups of the job: by their id, by their members, by their deadlines.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "server/core/group_rounds.hpp"

namespace muster::server {

/// Names a group; 0 is the world.
using GroupId = std::uint64_t;

/// Resource. Invariants:
/// 1. a subset is held until its last member has closed it or is gone, and no longer;
/// 2. a subset is listed with each member that may still come to its rounds, and with no other;
/// 3. a subset with an open round stands in the order of deadlines, under that of its round.
/// Whatever changes a group happens inside change(), change_of() or change_all(), which see to
/// these.
class Groups {
 public:
  explicit Groups(std::size_t round_bytes_max) : round_bytes_max_(round_bytes_max) {}

  void open_world(std::uint32_t size) { world_.emplace(Members(size), round_bytes_max_); }
  const GroupRounds* world() const { return world_ ? &*world_ : nullptr; }
  /// Null: there is none.
  const GroupRounds* find(GroupId id) const;
  /// There is none of this id yet.
  void add(GroupId id, Members members);

  /// Calls `what(GroupRounds&)` for the group of this id, which is there.
  template <class What>
  void change(GroupId id, What&& what) {
    if (id == 0) return what(*world_);
    Subset& subset = subsets_.at(id);
    what(subset.rounds);
    settle(id, subset);
  }
  /// ... for each group that any of `ranks` is in, the world first.
  template <class What>
  void change_of(const Ranks& ranks, What&& what) {
    if (world_) what(*world_);
    for (const GroupId id : subsets_of(ranks)) change(id, what);
  }
  /// ... for every group, the world first.
  template <class What>
  void change_all(What&& what) {
    if (world_) what(*world_);
    for (const GroupId id : all_subsets()) change(id, what);
  }

  /// These members come to no round of the group any more, of which it was told; it is there, or
  /// was freed by that.
  void unlist(GroupId id, const Ranks& ranks);
  /// The same, for all subsets that they are in.
  void unlist(const Ranks& ranks);

  /// Subsets whose round has reached its deadline.
  std::vector<GroupId> due(TimePoint now) const;
  /// The earliest deadline of an open round.
  std::optional<TimePoint> next_deadline() const;

  /// The subsets that `rank` is in, oldest first.
  const std::vector<GroupId>& subsets_of(std::uint32_t rank) const;
  std::vector<GroupId> all_subsets() const;
  std::size_t subsets() const { return subsets_.size(); }
  /// Subsets, open rounds, tombstones.
  std::size_t items() const;

 private:
  struct Subset {
    GroupRounds rounds;
    std::optional<TimePoint> due;  ///< under which it stands in by_deadline_
  };

  std::vector<GroupId> subsets_of(const Ranks& ranks) const;
  void settle(GroupId id, Subset& subset);

  std::size_t round_bytes_max_;
  std::optional<GroupRounds> world_;
  std::map<GroupId, Subset> subsets_;
  std::unordered_map<std::uint32_t, std::vector<GroupId>> subsets_of_;  ///< none is empty
  std::set<std::pair<TimePoint, GroupId>> by_deadline_;
};

}  // namespace muster::server
