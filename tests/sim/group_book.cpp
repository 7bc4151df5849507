#include "group_book.hpp"

#include <iterator>
#include <utility>

namespace muster::sim {

void GroupBook::opened(std::uint64_t group, const Ranks& members) {
  if (present_.contains(group)) return;
  std::set<std::uint32_t> present(members.begin(), members.end());
  std::erase_if(present, [&](std::uint32_t rank) { return gone_.contains(rank); });
  if (!present.empty()) present_.emplace(group, std::move(present));
}

void GroupBook::closed(std::uint64_t group, const Ranks& ranks) {
  const auto found = present_.find(group);
  if (found == present_.end()) return;
  for (const std::uint32_t rank : ranks) found->second.erase(rank);
  if (found->second.empty()) present_.erase(found);
}

void GroupBook::gone(const Ranks& ranks) {
  gone_.insert(ranks.begin(), ranks.end());
  for (auto group = present_.begin(); group != present_.end();) {
    for (const std::uint32_t rank : ranks) group->second.erase(rank);
    group = group->second.empty() ? present_.erase(group) : std::next(group);
  }
}

}  // namespace muster::sim
