/// \file
/// The server's decisions for ranks that are reached by messages: the pure core, and what waits to
/// be said to each rank.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "server/core/core.hpp"

namespace muster::plugins {

/// Resource; one thread at a time. Each rank has one link, which begins with its first bytes. What
/// waits for a rank are answers to what it has asked itself, so that nobody else makes them many.
class Judge {
 public:
  explicit Judge(std::uint32_t size);

  /// `bytes` have come from `rank`; none: its side has ended.
  void hear(std::uint32_t rank, Bytes bytes);
  /// To be called at next_deadline().
  void tick();
  std::optional<TimePoint> next_deadline() const { return core_.next_deadline(); }
  /// Says "server leaving" to all that are still there, and ends their links.
  void stop();

  /// The next bytes for `rank`, at most `bytes_max`; none, and true: the end of the link.
  std::pair<Bytes, bool> next(std::uint32_t rank, std::size_t bytes_max) const;
  /// These were said, or the end was.
  void said(std::uint32_t rank, std::size_t bytes);
  /// Ranks for whom something waits.
  std::vector<std::uint32_t> addressees() const;
  /// Whether all links that there were have ended on both sides, and all has been said.
  bool over() const;

 private:
  struct Link {
    std::deque<std::pair<server::Shared, std::size_t>> waiting;  ///< and how much of it was said
    bool closing = false;  ///< the core has forgotten it; the end is said behind what waits
    bool end_said = false;
    bool gone = false;  ///< the rank's side has ended
  };

  void happened(const server::Event& event);
  void perform(const server::Send& send);
  void end(Link& link) { link.closing = true; }

  server::Core core_;
  server::Actions actions_;
  std::map<std::uint32_t, Link> links_;
};

}  // namespace muster::plugins
