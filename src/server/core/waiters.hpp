/// \file
/// GETs and WAITs until their keys are there.
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
  std::vector<std::string> keys;  ///< no key twice
  TimePoint since;
  TimePoint deadline;
  bool wants_value = true;  ///< of its one key
};

/// Resource. Each waiter leaves exactly once: when all its keys are there, at its time, with one of
/// its keys, with its link, or with all. What leaves together leaves in the order of its coming; at
/// its time, in the order of deadlines. Who is woken has had what it waited for, and is there until
/// it is taken: neither its time nor its keys concern it any more.
class Waiters {
 public:
  using Id = std::uint64_t;  ///< counts up, so that order of ids is order of coming
  using Ids = std::set<Id>;

  /// `missing` of its keys are not there, at least one.
  void add(Waiter waiter, std::size_t missing);
  /// `key` was absent and is there now: wakes those that miss nothing more. However many wait for
  /// it alone, that takes no time; those that wait for others, too, are looked at.
  Ids wake(std::string_view key);
  /// One that was woken; nothing if it went with its link.
  std::optional<Waiter> take_woken(Id id);
  /// `key` was there and is absent now.
  void vanished(std::string_view key);
  /// All that wait for `key`, alone or among others.
  std::vector<Waiter> take_key(std::string_view key);
  std::vector<Waiter> take_due(TimePoint now);
  std::vector<Waiter> take_all();
  std::vector<Waiter> take_link(LinkId link);
  void drop_link(LinkId link) { take_link(link); }

  std::optional<TimePoint> next_deadline() const;
  /// The one of `link` that has waited longest, or null.
  const Waiter* first_of(LinkId link) const;
  /// The keys that those of `link` wait for, each as often as it is waited for.
  std::size_t keys_of(LinkId link) const;
  std::size_t size() const { return waiters_.size(); }
  /// How many are looked at when `key` appears or goes.
  std::size_t looked_at(std::string_view key) const;

 private:
  struct Waiting {
    Waiter waiter;
    std::size_t missing = 0;  ///< 0 if it was woken, and waited for several
  };
  /// Who waits for this one key is there until it is woken; who waits for others, too, until taken.
  struct OfKey {
    Ids alone;
    Ids among;
  };
  struct OfLink {
    Ids ids;
    std::size_t keys = 0;
  };

  Waiter take(Id id);
  bool is_woken(Id id) const;

  Id next_ = 0;
  std::map<Id, Waiting> waiters_;
  std::set<std::pair<TimePoint, Id>> by_time_;
  std::unordered_map<std::string, OfKey, TextHash, std::equal_to<>> by_key_;
  std::unordered_map<LinkId, OfLink> by_link_;
};

}  // namespace muster::server
