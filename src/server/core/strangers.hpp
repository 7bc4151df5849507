/// \file
/// Links that have not been admitted yet: so many, for so long.
#pragma once

#include <optional>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include <muster/deadline.hpp>

#include "base/limits.hpp"
#include "server/core/actions.hpp"

namespace muster::server {

/// Resource.
class Strangers {
 public:
  explicit Strangers(std::size_t links_max = limits::strangers_max) : links_max_(links_max) {}

  /// Returns who has to go, if that was one too many: the oldest that has not sent a byte; if all
  /// have, the oldest.
  std::optional<LinkId> opened(LinkId link, TimePoint now);
  void spoke(LinkId link);
  /// Admitted or closed. Does nothing for a link that is no stranger.
  void gone(LinkId link);

  /// Those whose limits::hello_time_max is over, oldest first; they are strangers no more.
  std::vector<LinkId> take_due(TimePoint now);
  std::optional<TimePoint> next_deadline() const;
  std::size_t size() const { return links_.size(); }

 private:
  using Order = std::set<std::pair<TimePoint, LinkId>>;
  struct Stranger {
    TimePoint opened;
    bool silent = true;
  };

  std::optional<std::pair<TimePoint, LinkId>> oldest() const;

  std::size_t links_max_;
  std::unordered_map<LinkId, Stranger> links_;
  Order silent_;
  Order speaking_;
};

}  // namespace muster::server
