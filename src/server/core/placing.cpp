#include "server/core/placing.hpp"

#include <algorithm>

#include "base/assert.hpp"

namespace muster::server {

std::optional<Placing::Seeker> Placing::drop(LinkId link) {
  const auto found = std::ranges::find(seekers_, link, &Seeker::link);
  if (found == seekers_.end()) return std::nullopt;
  Seeker gone = std::move(*found);
  seekers_.erase(found);
  return gone;
}

std::vector<Placing::Seeker> Placing::place(const Ranks& free) {
  MUSTER_ASSERT(free.size() == seekers_.size());
  std::vector<Seeker> placed = dismiss();
  std::ranges::stable_sort(placed, {}, [](const Seeker& each) { return each.hello.host; });
  for (std::size_t i = 0; i < placed.size(); ++i) {
    placed[i].hello.role = wire::Role::rank;
    placed[i].hello.ranks = {{free[i], 1}};
  }
  return placed;
}

}  // namespace muster::server
