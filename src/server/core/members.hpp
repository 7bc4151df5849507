/// \file
/// Who is in a group, and in which order.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "server/core/roster.hpp"

namespace muster::server {

/// Value. A member's seat is its rank in the group; its rank is the one in the job. In the world
/// they are the same.
class Members {
 public:
  /// The world.
  explicit Members(std::uint32_t size) : size_(size) {}
  /// A subset: ranks of the job, distinct, in order of their seats.
  explicit Members(std::vector<std::uint32_t> ranks);

  bool is_world() const { return ranks_.empty(); }
  std::uint32_t size() const { return size_; }
  /// In order of their seats; empty for the world.
  const std::vector<std::uint32_t>& in_order() const { return ranks_; }

  std::uint32_t rank(std::uint32_t seat) const { return is_world() ? seat : ranks_[seat]; }
  /// Nothing: no member.
  std::optional<std::uint32_t> seat(std::uint32_t rank) const;

  /// The ranks at `seats`, ascending.
  Ranks ranks_of(Ranks seats) const;
  /// The seats of those of `ranks` who are members, ascending.
  Ranks seats_of(const Ranks& ranks) const;

  /// "group of ranks 0-2, 5"; of many it names the first ranges.
  std::string text() const;

 private:
  std::uint32_t size_;
  std::vector<std::uint32_t> ranks_;                              ///< by seat; empty for the world
  std::vector<std::pair<std::uint32_t, std::uint32_t>> by_rank_;  ///< rank and seat, ascending
};

}  // namespace muster::server
