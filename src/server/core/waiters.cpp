#include "server/core/waiters.hpp"

#include "base/assert.hpp"

namespace muster::server {

void Waiters::add(Waiter waiter) {
  const Id id = next_++;
  by_time_.emplace(waiter.deadline, id);
  by_key_[waiter.key].insert(id);
  by_link_[waiter.to.link].insert(id);
  waiters_.emplace(id, std::move(waiter));
}

std::vector<Waiter> Waiters::take_key(std::string_view key) {
  std::vector<Waiter> taken;
  if (by_key_.empty()) return taken;
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
  for (auto& [id, waiter] : waiters_) taken.push_back(std::move(waiter));
  waiters_.clear(), by_time_.clear(), by_key_.clear(), by_link_.clear();
  return taken;
}

void Waiters::drop_link(LinkId link) {
  const auto found = by_link_.find(link);
  if (found == by_link_.end()) return;
  const std::set<Id> ids = found->second;
  for (const Id id : ids) take(id);
}

std::optional<TimePoint> Waiters::next_deadline() const {
  if (by_time_.empty()) return std::nullopt;
  return by_time_.begin()->first;
}

const Waiter* Waiters::first_of(LinkId link) const {
  const auto found = by_link_.find(link);
  return found == by_link_.end() ? nullptr : &waiters_.at(*found->second.begin());
}

std::size_t Waiters::count_of(LinkId link) const {
  const auto found = by_link_.find(link);
  return found == by_link_.end() ? 0 : found->second.size();
}

Waiter Waiters::take(Id id) {
  const auto found = waiters_.find(id);
  MUSTER_ASSERT(found != waiters_.end());
  Waiter waiter = std::move(found->second);
  waiters_.erase(found);
  by_time_.erase({waiter.deadline, id});
  const auto forget = [id](auto& index, const auto& at) {
    const auto ids = index.find(at);
    ids->second.erase(id);
    if (ids->second.empty()) index.erase(ids);
  };
  forget(by_key_, waiter.key);
  forget(by_link_, waiter.to.link);
  return waiter;
}

}  // namespace muster::server
