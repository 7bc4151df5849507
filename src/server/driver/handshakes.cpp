#include "server/driver/handshakes.hpp"

#include <algorithm>

namespace muster::server {

std::optional<LinkId> Handshakes::next(TimePoint now) {
  if (waiting_.empty() || begun_.size() >= at_once_max_) return std::nullopt;
  const LinkId link = waiting_.front();
  waiting_.pop_front();
  begun_.emplace(link, now);
  return link;
}

void Handshakes::over(LinkId link) {
  if (begun_.erase(link) == 0) std::erase(waiting_, link);
}

std::optional<LinkId> Handshakes::slow(TimePoint now) const {
  const std::optional<TimePoint> due = next_deadline();
  if (!due || *due > now) return std::nullopt;
  return oldest()->first;
}

std::optional<TimePoint> Handshakes::next_deadline() const {
  if (waiting_.empty() || begun_.size() < at_once_max_) return std::nullopt;
  return oldest()->second + limits::tls_handshake_time_max;
}

std::optional<Handshakes::Begun::value_type> Handshakes::oldest() const {
  const auto found = std::min_element(begun_.begin(), begun_.end(), [](auto& one, auto& other) {
    return one.second < other.second;
  });
  if (found == begun_.end()) return std::nullopt;
  return *found;
}

}  // namespace muster::server
