#include "server/core/leaving.hpp"

#include "base/assert.hpp"

namespace muster::server {

void Leaving::add(const Wait& wait) {
  const bool fresh = waits_.emplace(wait.to.link, wait).second;
  MUSTER_ASSERT(fresh);
  by_time_.emplace(wait.deadline, wait.to.link);
}

void Leaving::drop_link(LinkId link) {
  const auto found = waits_.find(link);
  if (found == waits_.end()) return;
  by_time_.erase({found->second.deadline, link});
  waits_.erase(found);
}

std::vector<Leaving::Wait> Leaving::take_due(TimePoint now) {
  std::vector<Wait> due;
  while (!by_time_.empty() && by_time_.begin()->first <= now) {
    const LinkId link = by_time_.begin()->second;
    due.push_back(waits_.at(link));
    drop_link(link);
  }
  return due;
}

std::optional<TimePoint> Leaving::next_deadline() const {
  if (by_time_.empty()) return std::nullopt;
  return by_time_.begin()->first;
}

}  // namespace muster::server
