#include "server/core/waiters.hpp"

#include "base/assert.hpp"

namespace muster::server {

void Waiters::add(Waiter waiter, std::size_t missing) {
  MUSTER_ASSERT(missing > 0 && missing <= waiter.keys.size());
  const Id id = next_++;
  by_time_.emplace(waiter.deadline, id);
  if (waiter.keys.size() == 1) {
    by_key_[waiter.keys.front()].alone.insert(id);
  } else {
    for (const std::string& key : waiter.keys) by_key_[key].among.insert(id);
  }
  OfLink& of_link = by_link_[waiter.to.link];
  of_link.ids.insert(id);
  of_link.keys += waiter.keys.size();
  waiters_.emplace(id, Waiting{std::move(waiter), missing});
}

Waiters::Ids Waiters::wake(std::string_view key) {
  if (by_key_.empty()) return {};
  const auto found = by_key_.find(key);
  if (found == by_key_.end()) return {};
  Ids woken = std::exchange(found->second.alone, {});
  for (const Id id : found->second.among) {
    std::size_t& missing = waiters_.at(id).missing;
    if (missing != 0 && --missing == 0) woken.insert(id);
  }
  if (found->second.among.empty()) by_key_.erase(found);
  return woken;
}

std::optional<Waiter> Waiters::take_woken(Id id) {
  if (!waiters_.contains(id)) return std::nullopt;
  return take(id);
}

void Waiters::vanished(std::string_view key) {
  if (by_key_.empty()) return;
  const auto found = by_key_.find(key);
  if (found == by_key_.end()) return;
  for (const Id id : found->second.among) {
    std::size_t& missing = waiters_.at(id).missing;
    if (missing != 0) ++missing;
  }
}

std::vector<Waiter> Waiters::take_key(std::string_view key) {
  std::vector<Waiter> taken;
  const auto found = by_key_.find(key);
  if (found == by_key_.end()) return taken;
  Ids ids = found->second.alone;
  for (const Id id : found->second.among) {
    if (!is_woken(id)) ids.insert(id);
  }
  for (const Id id : ids) taken.push_back(take(id));
  return taken;
}

std::vector<Waiter> Waiters::take_due(TimePoint now) {
  std::vector<Waiter> taken;
  while (!by_time_.empty() && by_time_.begin()->first <= now) {
    const Id id = by_time_.begin()->second;
    by_time_.erase(by_time_.begin());
    if (!is_woken(id)) taken.push_back(take(id));
  }
  return taken;
}

std::vector<Waiter> Waiters::take_all() {
  std::vector<Waiter> taken;
  for (auto& [id, waiting] : waiters_) taken.push_back(std::move(waiting.waiter));
  waiters_.clear(), by_time_.clear(), by_key_.clear(), by_link_.clear();
  return taken;
}

std::vector<Waiter> Waiters::take_link(LinkId link) {
  std::vector<Waiter> taken;
  const auto found = by_link_.find(link);
  if (found == by_link_.end()) return taken;
  const Ids ids = found->second.ids;
  for (const Id id : ids) taken.push_back(take(id));
  return taken;
}

std::optional<TimePoint> Waiters::next_deadline() const {
  if (by_time_.empty()) return std::nullopt;
  return by_time_.begin()->first;
}

const Waiter* Waiters::first_of(LinkId link) const {
  const auto found = by_link_.find(link);
  return found == by_link_.end() ? nullptr : &waiters_.at(*found->second.ids.begin()).waiter;
}

std::size_t Waiters::keys_of(LinkId link) const {
  const auto found = by_link_.find(link);
  return found == by_link_.end() ? 0 : found->second.keys;
}

std::size_t Waiters::looked_at(std::string_view key) const {
  const auto found = by_key_.find(key);
  return found == by_key_.end() ? 0 : found->second.among.size();
}

bool Waiters::is_woken(Id id) const {
  const Waiting& waiting = waiters_.at(id);
  if (waiting.waiter.keys.size() > 1) return waiting.missing == 0;
  const auto found = by_key_.find(waiting.waiter.keys.front());
  return found == by_key_.end() || !found->second.alone.contains(id);
}

Waiter Waiters::take(Id id) {
  const auto found = waiters_.find(id);
  MUSTER_ASSERT(found != waiters_.end());
  Waiter waiter = std::move(found->second.waiter);
  waiters_.erase(found);
  by_time_.erase({waiter.deadline, id});
  for (const std::string& key : waiter.keys) {
    const auto ids = by_key_.find(key);
    if (ids == by_key_.end()) continue;
    ids->second.alone.erase(id);
    ids->second.among.erase(id);
    if (ids->second.alone.empty() && ids->second.among.empty()) by_key_.erase(ids);
  }
  const auto of_link = by_link_.find(waiter.to.link);
  of_link->second.ids.erase(id);
  of_link->second.keys -= waiter.keys.size();
  if (of_link->second.ids.empty()) by_link_.erase(of_link);
  return waiter;
}

}  // namespace muster::server
