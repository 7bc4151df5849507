#include "server/core/round_failures.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "base/limits.hpp"
#include "server/core/wording.hpp"

namespace muster::server {
namespace {

/// So many ranks are described in the text itself; more are in the list of names.
constexpr std::size_t described_max = 4;

std::string are_in(const Ranks& ranks, const std::string& call) {
  return fmt::format("{} {} in {}", ranks_text(ranks), ranks.size() == 1 ? "is" : "are", call);
}

/// The names of `ranks`, each with `detail`, as far as the list has room for `most`.
void append_names(std::vector<RankName>& list, const Ranks& ranks, const Roster& roster,
                  const std::string& detail, std::size_t most) {
  for (const std::uint32_t rank : ranks) {
    if (list.size() >= most) return;
    list.push_back(roster.name(rank));
    list.back().detail = detail;
  }
}

/// Both sides' names: neither fills the list alone.
std::vector<RankName> both_sides(const Ranks& first, const std::string& first_detail,
                                 const Ranks& second, const std::string& second_detail,
                                 const Roster& roster) {
  constexpr std::size_t half = limits::named_ranks_max / 2;
  const std::size_t second_share = std::min(second.size(), half);
  std::vector<RankName> names;
  append_names(names, first, roster, first_detail, limits::named_ranks_max - second_share);
  append_names(names, second, roster, second_detail, limits::named_ranks_max);
  return names;
}

}  // namespace

Failure mismatch(const Difference& difference, const Ranks& before, const Roster& roster) {
  return Failure{.code = Code::mismatch,
                 .reason = fmt::format("{}, {}", are_in(before, difference.here),
                                       are_in(difference.ranks, difference.there)),
                 .advice = "all ranks must make the same calls in the same order",
                 .who = both_sides(before, "is in " + difference.here, difference.ranks,
                                   "is in " + difference.there, roster)};
}

Failure left_behind(const Ranks& leavers, const Ranks& inside, const Round& round,
                    const Roster& roster) {
  return Failure{
      .code = Code::mismatch,
      .reason = fmt::format("{} {}, {}", ranks_text(leavers),
                            leavers.size() == 1 ? "leaves" : "leave", are_in(inside, round.text())),
      .advice = "all ranks must make the same calls before they leave",
      .who = both_sides(leavers, "leaves", inside, "is in " + round.text(), roster)};
}

Failure has_left(const Ranks& leavers, const Roster& roster) {
  return Failure{.code = Code::rank_left,
                 .reason = fmt::format("{} {} left the job", roster.text(leavers),
                                       leavers.size() == 1 ? "has" : "have"),
                 .advice = "all ranks must make the same calls before they leave",
                 .who = roster.names(leavers)};
}

Failure missing(const Round& round, const Ranks& absent, const Roster& roster, const Doing& doing,
                TimePoint now) {
  Failure failure{.code = Code::rank_missing,
                  .reason = fmt::format("{} of {} ranks did not come to {} within {}: {}",
                                        absent.size(), roster.size(), round.text(),
                                        seconds_text(now - round.since()), ranks_text(absent)),
                  .advice = "see what the missing ranks are doing, or give the call more time",
                  .who = roster.names(absent)};
  std::string details;
  for (std::size_t i = 0; i < failure.who.size(); ++i) {
    RankName& name = failure.who[i];
    name.detail = doing(name.rank);
    if (i >= described_max) continue;
    details += fmt::format("{}rank {} {}", i == 0 ? "" : "; ", name.rank, name.detail);
  }
  failure.reason += fmt::format(" ({})", details);
  return failure;
}

Failure too_large(const Round& round, const Ranks& newcomers, std::size_t total_bytes,
                  std::size_t bytes_max, const Roster& roster) {
  return Failure{.code = Code::limit,
                 .reason = fmt::format("the payloads of {} are at most {} bytes together, {} "
                                       "brought them to {}",
                                       round.text(), bytes_max, ranks_text(newcomers), total_bytes),
                 .advice = "exchange less at a time",
                 .who = roster.names(newcomers)};
}

}  // namespace muster::server
