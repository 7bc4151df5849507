#include "server/driver/handshakes.hpp"

#include <algorithm>

#include "base/assert.hpp"

namespace muster::server {

void Handshakes::wait(LinkId link, const std::string& source) {
  const auto of = sources_.try_emplace(source).first;
  const bool fresh = links_.emplace(link, of).second;
  MUSTER_ASSERT(fresh);
  Source& its = of->second;
  if (its.waiting.empty()) turns_.emplace(its.turn = ++last_turn_, of);
  its.waiting.insert(link);
}

std::optional<LinkId> Handshakes::next(TimePoint now) {
  const auto turn = eligible();
  if (!turn) return std::nullopt;
  const auto of = turns_.extract(*turn).mapped();
  Source& source = of->second;
  const LinkId link = source.waiting.extract(source.waiting.begin()).value();
  if (!source.waiting.empty()) turns_.emplace(source.turn = ++last_turn_, of);
  ++source.going_on;
  begun_.emplace(link, now);
  return link;
}

void Handshakes::over(LinkId link) {
  const auto found = links_.find(link);
  if (found == links_.end()) return;
  const auto of = found->second;
  Source& source = of->second;
  links_.erase(found);
  if (begun_.erase(link) != 0) {
    --source.going_on;
  } else if (source.waiting.erase(link) != 0 && source.waiting.empty()) {
    turns_.erase(source.turn);
  }
  if (source.waiting.empty() && source.going_on == 0) sources_.erase(of);
}

std::optional<LinkId> Handshakes::slow(TimePoint now) const {
  const std::optional<TimePoint> due = next_deadline();
  if (!due || *due > now) return std::nullopt;
  return oldest()->first;
}

std::optional<TimePoint> Handshakes::next_deadline() const {
  if (turns_.empty() || begun_.empty() || eligible()) return std::nullopt;
  return oldest()->second + limits::tls_handshake_time_max;
}

/// The first source in turn that has room: each has its share, and only those with some that go on
/// can have used it up.
std::optional<Handshakes::Turn> Handshakes::eligible() const {
  const std::size_t room = at_once_max_ - begun_.size();
  if (room == 0) return std::nullopt;
  for (const auto& [turn, source] : turns_) {
    if (source->second.going_on < room) return turn;
  }
  return std::nullopt;
}

std::optional<Handshakes::Begun::value_type> Handshakes::oldest() const {
  const auto found = std::min_element(begun_.begin(), begun_.end(), [](auto& one, auto& other) {
    return one.second < other.second;
  });
  if (found == begun_.end()) return std::nullopt;
  return *found;
}

}  // namespace muster::server
