#include "server/core/roster.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "base/assert.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"
#include "server/core/wording.hpp"

namespace muster::server {

void Roster::set_size(std::uint32_t size, TimePoint now) {
  MUSTER_ASSERT(rows_.empty() && size > 0 && size <= limits::ranks_max);
  rows_.resize(size);
  for (Row& row : rows_) row.since = now;
  counts_[static_cast<std::size_t>(State::absent)] = size;
}

std::optional<std::uint32_t> Roster::first(State state) const {
  if (count(state) == 0) return std::nullopt;
  const auto found = std::ranges::find(rows_, state, &Row::state);
  return static_cast<std::uint32_t>(found - rows_.begin());
}

Ranks Roster::all(State state) const {
  Ranks ranks;
  for (std::uint32_t rank = 0; rank < size(); ++rank) {
    if (rows_[rank].state == state) ranks.push_back(rank);
  }
  return ranks;
}

void Roster::join(const Ranks& ranks, LinkId link, const wire::ClientHello& hello, TimePoint now) {
  set_state(ranks, State::joined, now);
  for (const std::uint32_t rank : ranks) {
    Row& row = rows_[rank];
    row.linked = true;
    row.first = rank == ranks.front();
    row.pid = hello.pid;
    row.link = link;
    row.host = printable(hello.host, limits::host_bytes_max);
  }
}

void Roster::set_state(const Ranks& ranks, State state, TimePoint now) {
  const bool casualty = state == State::lost || state == State::failed;
  if (casualty && !first_casualty_) first_casualty_ = ranks.front();
  for (const std::uint32_t rank : ranks) {
    Row& row = rows_[rank];
    --counts_[static_cast<std::size_t>(row.state)];
    ++counts_[static_cast<std::size_t>(state)];
    row.state = state;
    row.since = now;
  }
}

void Roster::unlink(const Ranks& ranks) {
  for (const std::uint32_t rank : ranks) rows_[rank].linked = false;
}

RankName Roster::name(std::uint32_t rank) const {
  return RankName{.rank = rank, .host = rows_[rank].host, .pid = rows_[rank].pid};
}

std::vector<RankName> Roster::names(std::span<const std::uint32_t> ranks) const {
  std::vector<RankName> names;
  for (const std::uint32_t rank : ranks.first(std::min(ranks.size(), limits::named_ranks_max))) {
    names.push_back(name(rank));
  }
  return names;
}

std::string Roster::text(const Ranks& ranks) const {
  if (ranks.size() == 1) return name(ranks.front()).text();
  const Row& row = rows_[ranks.front()];
  return fmt::format("{} (host {}, pid {})", ranks_text(ranks), row.host, row.pid);
}

std::string Roster::presence() const {
  if (rows_.empty()) return "no rank has joined";
  const Ranks absent = all(State::absent);
  std::string joined =
      fmt::format("{} of {} ranks have joined", rows_.size() - absent.size(), rows_.size());
  if (const std::uint32_t left = count(State::left); left != 0) {
    joined += fmt::format(", {} of them {} left", left, left == 1 ? "has" : "have");
  }
  if (absent.empty()) return joined;
  return fmt::format("{}, {} {} absent", joined, ranks_text(absent),
                     absent.size() == 1 ? "is" : "are");
}

Ranks expand(std::span<const wire::RankRange> ranges) {
  Ranks ranks;
  for (const wire::RankRange& range : ranges) {
    for (std::uint32_t i = 0; i < range.count; ++i) ranks.push_back(range.first + i);
  }
  std::ranges::sort(ranks);
  return ranks;
}

}  // namespace muster::server
