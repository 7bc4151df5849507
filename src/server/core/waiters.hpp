/// \file
/// GETs that wait for a key to appear.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <muster/deadline.hpp>

#include "server/core/outbox.hpp"
#include "server/core/table.hpp"

namespace muster::server {

/// Value.
struct Waiter {
  ReplyTo to;
  std::string key;
  TimePoint since;
  TimePoint deadline;
};

/// Resource. Each waiter leaves exactly once: with its key, at its time, with its link, or with
/// all. What leaves together leaves in the order of its coming; at its time, in the order of
/// deadlines.
class Waiters {
 public:
  void add(Waiter waiter);
  std::vector<Waiter> take_key(std::string_view key);
  std::vector<Waiter> take_due(TimePoint now);
  std::vector<Waiter> take_all();
  void drop_link(LinkId link);

  std::optional<TimePoint> next_deadline() const;
  /// The one of `link` that has waited longest, or null.
  const Waiter* first_of(LinkId link) const;
  std::size_t count_of(LinkId link) const;
  std::size_t size() const { return waiters_.size(); }

 private:
  using Id = std::uint64_t;  ///< counts up, so that order of ids is order of coming

  Waiter take(Id id);

  Id next_ = 0;
  std::map<Id, Waiter> waiters_;
  std::set<std::pair<TimePoint, Id>> by_time_;
  std::unordered_map<std::string, std::set<Id>, TextHash, std::equal_to<>> by_key_;
  std::unordered_map<LinkId, std::set<Id>> by_link_;
};

}  // namespace muster::server
