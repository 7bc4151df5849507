#include "server/core/strangers.hpp"

#include "base/assert.hpp"

namespace muster::server {

std::optional<LinkId> Strangers::opened(LinkId link, TimePoint now) {
  std::optional<LinkId> evicted;
  if (links_.size() >= links_max_) {
    evicted = silent_.empty() ? speaking_.begin()->second : silent_.begin()->second;
    gone(*evicted);
  }
  const bool fresh = links_.emplace(link, Stranger{now}).second;
  MUSTER_ASSERT(fresh);
  silent_.emplace(now, link);
  return evicted;
}

void Strangers::spoke(LinkId link) {
  const auto found = links_.find(link);
  if (found == links_.end() || !found->second.silent) return;
  found->second.silent = false;
  speaking_.insert(silent_.extract({found->second.opened, link}));
}

void Strangers::gone(LinkId link) {
  const auto found = links_.find(link);
  if (found == links_.end()) return;
  (found->second.silent ? silent_ : speaking_).erase({found->second.opened, link});
  links_.erase(found);
}

std::vector<LinkId> Strangers::take_due(TimePoint now) {
  std::vector<LinkId> due;
  while (const auto first = oldest()) {
    if (first->first + limits::hello_time_max > now) break;
    due.push_back(first->second);
    gone(first->second);
  }
  return due;
}

std::optional<TimePoint> Strangers::next_deadline() const {
  const auto first = oldest();
  if (!first) return std::nullopt;
  return first->first + limits::hello_time_max;
}

std::optional<std::pair<TimePoint, LinkId>> Strangers::oldest() const {
  if (links_.empty()) return std::nullopt;
  if (silent_.empty()) return *speaking_.begin();
  if (speaking_.empty()) return *silent_.begin();
  return std::min(*silent_.begin(), *speaking_.begin());
}

}  // namespace muster::server
