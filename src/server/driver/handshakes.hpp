/// \file
/// Whose TLS handshake goes on: so many at a time, since each needs memory; the others wait in
/// order.
#pragma once

#include <deque>
#include <map>
#include <optional>

#include <muster/deadline.hpp>

#include "base/limits.hpp"
#include "server/core/actions.hpp"

namespace muster::server {

/// Resource.
class Handshakes {
 public:
  explicit Handshakes(std::size_t at_once_max = limits::tls_handshakes_max)
      : at_once_max_(at_once_max) {}

  void wait(LinkId link) { waiting_.push_back(link); }
  /// The next one that waits, if there is room: its handshake begins now. It may have gone.
  std::optional<LinkId> next(TimePoint now);
  /// It is done, or has gone, or waits no more. Does nothing for a link that is not known.
  void over(LinkId link);

  /// One that has had limits::tls_handshake_time_max, while others wait for room. The peer need not
  /// be hostile, it may just be stopped; it is to go all the same.
  std::optional<LinkId> slow(TimePoint now) const;
  /// When slow() may have something.
  std::optional<TimePoint> next_deadline() const;

  std::size_t going_on() const { return begun_.size(); }

 private:
  using Begun = std::map<LinkId, TimePoint>;
  std::optional<Begun::value_type> oldest() const;

  const std::size_t at_once_max_;
  std::deque<LinkId> waiting_;
  Begun begun_;
};

}  // namespace muster::server
