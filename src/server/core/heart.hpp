/// \file
/// When signs of life are due, and to whom: to all links that want them, in one go.
#pragma once

#include <optional>
#include <set>

#include <muster/deadline.hpp>

#include "base/limits.hpp"
#include "base/pulse.hpp"
#include "server/core/actions.hpp"

namespace muster::server {

/// Resource. Stands still while no link wants it.
class Heart {
 public:
  explicit Heart(Duration heartbeat) : heartbeat_(heartbeat) {}

  /// Zero: there are no signs of life in this job.
  Duration heartbeat() const { return heartbeat_; }
  /// Who is silent for so long is gone.
  Duration silence_max() const { return limits::silent_heartbeats_max * heartbeat_; }

  void add(LinkId link, TimePoint now);
  /// Does nothing for a link that was not added.
  void remove(LinkId link) { links_.erase(link); }
  const std::set<LinkId>& links() const { return links_; }

  /// If a beat is due: how long this server has been awake in all, for Pulse::silence().
  std::optional<Duration> beat(TimePoint now);
  std::optional<TimePoint> next_deadline() const;

 private:
  Duration heartbeat_;
  std::set<LinkId> links_;
  std::optional<AwakeTime> awake_;
  TimePoint due_;
};

}  // namespace muster::server
