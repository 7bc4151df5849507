#include "server/core/members.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace muster::server {
namespace {

constexpr std::size_t ranges_shown = 8;

}  // namespace

Members::Members(std::vector<std::uint32_t> ranks)
    : size_(static_cast<std::uint32_t>(ranks.size())), ranks_(std::move(ranks)) {
  by_rank_.reserve(size_);
  for (std::uint32_t seat = 0; seat < size_; ++seat) by_rank_.emplace_back(ranks_[seat], seat);
  std::ranges::sort(by_rank_);
}

std::optional<std::uint32_t> Members::seat(std::uint32_t rank) const {
  if (is_world()) return rank < size_ ? std::optional(rank) : std::nullopt;
  const auto found = std::ranges::lower_bound(by_rank_, std::pair(rank, std::uint32_t{0}));
  if (found == by_rank_.end() || found->first != rank) return std::nullopt;
  return found->second;
}

Ranks Members::ranks_of(Ranks seats) const {
  if (is_world()) return seats;
  for (std::uint32_t& each : seats) each = ranks_[each];
  std::ranges::sort(seats);
  return seats;
}

Ranks Members::seats_of(const Ranks& ranks) const {
  Ranks seats;
  for (const std::uint32_t rank : ranks) {
    if (const auto at = seat(rank)) seats.push_back(*at);
  }
  std::ranges::sort(seats);
  return seats;
}

std::string Members::text() const {
  if (is_world()) return "group of all ranks";
  Ranks ranks;
  for (const auto& [rank, seat] : by_rank_) ranks.push_back(rank);
  return (size_ == 1 ? "group of rank " : "group of ranks ") + rank_ranges(ranks, ranges_shown);
}

}  // namespace muster::server
