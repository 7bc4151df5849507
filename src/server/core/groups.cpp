#include "server/core/groups.hpp"

#include "base/assert.hpp"

namespace muster::server {

const GroupRounds* Groups::find(GroupId id) const {
  if (id == 0) return world();
  const auto found = subsets_.find(id);
  return found == subsets_.end() ? nullptr : &found->second.rounds;
}

void Groups::add(GroupId id, Members members) {
  for (const std::uint32_t rank : members.in_order()) subsets_of_[rank].push_back(id);
  const bool fresh =
      subsets_.emplace(id, Subset{GroupRounds(std::move(members), round_bytes_max_), {}}).second;
  MUSTER_ASSERT(fresh && id != 0);
}

void Groups::settle(GroupId id, Subset& subset) {
  const auto due = subset.rounds.next_deadline();
  if (due != subset.due) {
    if (subset.due) by_deadline_.erase({*subset.due, id});
    if (due) by_deadline_.emplace(*due, id);
    subset.due = due;
  }
  if (subset.rounds.present() == 0) subsets_.erase(id);
}

void Groups::unlist(GroupId id, const Ranks& ranks) {
  for (const std::uint32_t rank : ranks) {
    const auto found = subsets_of_.find(rank);
    if (found == subsets_of_.end()) continue;
    std::erase(found->second, id);
    if (found->second.empty()) subsets_of_.erase(found);
  }
}

void Groups::unlist(const Ranks& ranks) {
  for (const std::uint32_t rank : ranks) subsets_of_.erase(rank);
}

std::vector<GroupId> Groups::due(TimePoint now) const {
  std::vector<GroupId> ids;
  for (const auto& [deadline, id] : by_deadline_) {
    if (deadline > now) break;
    ids.push_back(id);
  }
  return ids;
}

std::optional<TimePoint> Groups::next_deadline() const {
  auto next = world_ ? world_->next_deadline() : std::nullopt;
  if (by_deadline_.empty()) return next;
  const TimePoint first = by_deadline_.begin()->first;
  return next ? std::min(*next, first) : first;
}

const std::vector<GroupId>& Groups::subsets_of(std::uint32_t rank) const {
  static const std::vector<GroupId> none;
  const auto found = subsets_of_.find(rank);
  return found == subsets_of_.end() ? none : found->second;
}

/// Each once.
std::vector<GroupId> Groups::subsets_of(const Ranks& ranks) const {
  std::vector<GroupId> ids;
  for (const std::uint32_t rank : ranks) {
    const std::vector<GroupId>& more = subsets_of(rank);
    ids.insert(ids.end(), more.begin(), more.end());
  }
  if (ranks.size() > 1) {
    std::ranges::sort(ids);
    ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  }
  return ids;
}

std::vector<GroupId> Groups::all_subsets() const {
  std::vector<GroupId> ids;
  for (const auto& [id, subset] : subsets_) ids.push_back(id);
  return ids;
}

std::size_t Groups::items() const {
  const auto rounds = [](const GroupRounds& group) {
    return group.tombstones() + (group.next_deadline() ? 1 : 0);
  };
  std::size_t items = world_ ? rounds(*world_) : 0;
  for (const auto& [id, subset] : subsets_) items += 1 + rounds(subset.rounds);
  return items;
}

}  // namespace muster::server
