#include "server/core/heart.hpp"

namespace muster::server {

void Heart::add(LinkId link, TimePoint now) {
  if (!awake_) awake_.emplace(now);
  if (links_.empty()) due_ = now + heartbeat_;
  links_.insert(link);
}

std::optional<Duration> Heart::beat(TimePoint now) {
  if (links_.empty() || now < due_) return std::nullopt;
  due_ = now + heartbeat_;
  return awake_->look(now, heartbeat_);
}

std::optional<TimePoint> Heart::next_deadline() const {
  if (links_.empty()) return std::nullopt;
  return due_;
}

}  // namespace muster::server
