/// \file
/// Whose TLS handshake goes on: so many at a time, since each needs memory; the others wait.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>

#include <muster/deadline.hpp>

#include "base/limits.hpp"
#include "server/core/actions.hpp"

namespace muster::server {

/// Resource. Sources take turns, and those of one source go on in the order in which they came. A
/// source has at most as many going on as it leaves free for others: one alone gets half of the
/// room, and whoever comes next from elsewhere does not wait for those who have stopped halfway.
class Handshakes {
 public:
  explicit Handshakes(std::size_t at_once_max = limits::tls_handshakes_max)
      : at_once_max_(at_once_max) {}

  /// `source` is its host. Once for each link.
  void wait(LinkId link, const std::string& source);
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
  using Turn = std::uint64_t;
  struct Source {
    std::set<LinkId> waiting;
    std::size_t going_on = 0;
    Turn turn = 0;  ///< in turns_, if any wait
  };
  using Sources = std::map<std::string, Source>;

  using Begun = std::map<LinkId, TimePoint>;

  std::optional<Turn> eligible() const;
  std::optional<Begun::value_type> oldest() const;

  const std::size_t at_once_max_;
  Sources sources_;
  std::map<LinkId, Sources::iterator> links_;
  std::map<Turn, Sources::iterator> turns_;  ///< of sources with any that wait
  Turn last_turn_ = 0;
  Begun begun_;
};

}  // namespace muster::server
