/// \file
/// Who is in the job: a row for each rank.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <muster/deadline.hpp>
#include <muster/roster.hpp>

#include "server/core/actions.hpp"
#include "wire/hello.hpp"

namespace muster::server {

using Ranks = std::vector<std::uint32_t>;  ///< ascending

/// Resource. Rows exist once the job's size is known.
class Roster {
 public:
  struct Row {
    State state = State::absent;
    bool linked = false;  ///< `link` is open
    bool first = false;   ///< the lowest rank of its link: who is told what the link is told
    std::uint32_t pid = 0;
    LinkId link = 0;
    TimePoint since;
    std::string host;
  };

  /// Once.
  void set_size(std::uint32_t size, TimePoint now);
  /// 0: not known yet.
  std::uint32_t size() const { return static_cast<std::uint32_t>(rows_.size()); }

  const Row& row(std::uint32_t rank) const { return rows_[rank]; }
  std::uint32_t count(State state) const { return counts_[static_cast<std::size_t>(state)]; }
  /// The lowest rank in that state.
  std::optional<std::uint32_t> first(State state) const;
  Ranks all(State state) const;

  void join(const Ranks& ranks, LinkId link, const wire::ClientHello& hello, TimePoint now);
  void set_state(const Ranks& ranks, State state, TimePoint now);
  /// The link of these ranks is closed.
  void unlink(const Ranks& ranks);

  RankName name(std::uint32_t rank) const;
  /// The first limits::named_ranks_max of them.
  std::vector<RankName> names(std::span<const std::uint32_t> ranks) const;
  /// "rank 2 (host c, pid 13)", or "ranks 2-4 (host c, pid 13)": all of one link.
  std::string text(const Ranks& ranks) const;
  /// "2 of 3 ranks have joined, rank 2 is absent".
  std::string presence() const;

  /// The rank that was recorded lost or failed before any other.
  std::optional<std::uint32_t> first_casualty() const { return first_casualty_; }

  /// Calls `each(link)` for the open link of every rank in `state`, in order of rank, each link
  /// once.
  template <class Each>
  void each_link(State state, Each&& each) const {
    for (const Row& row : rows_) {
      if (row.state == state && row.linked && row.first) each(row.link);
    }
  }

 private:
  std::vector<Row> rows_;
  std::array<std::uint32_t, 5> counts_{};
  std::optional<std::uint32_t> first_casualty_;
};

/// The ranks of a hello, which do not overlap.
Ranks expand(std::span<const wire::RankRange> ranges);

}  // namespace muster::server
