/// \file
/// Those who have said goodbye and wait for the others.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include <muster/deadline.hpp>

#include "server/core/outbox.hpp"

namespace muster::server {

/// Resource. One wait a link.
class Leaving {
 public:
  struct Wait {
    ReplyTo to;
    TimePoint since;
    TimePoint deadline;
  };

  void add(const Wait& wait);
  void drop_link(LinkId link);
  /// In the order of deadlines.
  std::vector<Wait> take_due(TimePoint now);
  /// In the order of deadlines.
  std::vector<Wait> take_all() { return take_due(TimePoint::max()); }

  bool waits(LinkId link) const { return waits_.contains(link); }
  std::optional<TimePoint> next_deadline() const;
  std::size_t size() const { return waits_.size(); }

 private:
  std::map<LinkId, Wait> waits_;
  std::set<std::pair<TimePoint, LinkId>> by_time_;
};

}  // namespace muster::server
