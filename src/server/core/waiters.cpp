#include "server/core/waiters.hpp"

#include "base/assert.hpp"

namespace muster::server {

void Waiters::add(Waiter waiter, std::size_t missing) {
  MUSTER_ASSERT(missing > 0 && missing <= waiter.keys.size());
  const Id id = next_++;
  by_time_.emplace(waiter.deadline, id);
  for (const std::string& key : waiter.keys) by_key_[key].insert(id);
  OfLink& of_link = by_link_[waiter.to.link];
  of_link.ids.insert(id);
  of_link.keys += waiter.keys.size();
  waiters_.emplace(id, Waiting{std::move(waiter), missing});
}

std::vector<Waiter> Waiters::appeared(std::string_view key) {
  std::vector<Waiter> taken;
  if (by_key_.empty()) return taken;
  const auto found = by_key_.find(key);
  if (found == by_key_.end()) return taken;
  std::vector<Id> ready;
  for (const Id id : found->second) {
    if (--waiters_.at(id).missing == 0) ready.push_back(id);
  }
  for (const Id id : ready) taken.push_back(take(id));
  return taken;
}

void Waiters::vanished(std::string_view key) {
  if (by_key_.empty()) return;
  const auto found = by_key_.find(key);
  if (found == by_key_.end()) return;
  for (const Id id : found->second) ++waiters_.at(id).missing;
}

std::vector<Waiter> Waiters::take_key(std::string_view key) {
  std::vector<Waiter> taken;
  const auto found = by_key_.find(key);
  if (found == by_key_.end()) return taken;
  const std::set<Id> ids = found->second;
  for (const Id id : ids) taken.push_back(take(id));
  return taken;
}

std::vector<Waiter> Waiters::take_due(TimePoint now) {
  std::vector<Waiter> taken;
  while (!by_time_.empty() && by_time_.begin()->first <= now) {
    taken.push_back(take(by_time_.begin()->second));
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
  const std::set<Id> ids = found->second.ids;
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

std::size_t Waiters::count_of(std::string_view key) const {
  const auto found = by_key_.find(key);
  return found == by_key_.end() ? 0 : found->second.size();
}

Waiter Waiters::take(Id id) {
  const auto found = waiters_.find(id);
  MUSTER_ASSERT(found != waiters_.end());
  Waiter waiter = std::move(found->second.waiter);
  waiters_.erase(found);
  by_time_.erase({waiter.deadline, id});
  for (const std::string& key : waiter.keys) {
    const auto ids = by_key_.find(key);
    ids->second.erase(id);
    if (ids->second.empty()) by_key_.erase(ids);
  }
  const auto of_link = by_link_.find(waiter.to.link);
  of_link->second.ids.erase(id);
  of_link->second.keys -= waiter.keys.size();
  if (of_link->second.ids.empty()) by_link_.erase(of_link);
  return waiter;
}

}  // namespace muster::server
