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

std::string goes(const Ranks& leavers, Going how) {
  const bool one = leavers.size() == 1;
  if (how == Going::closes) return one ? "closes the group" : "close the group";
  return one ? "leaves" : "leave";
}

constexpr const char* before_they_leave = "all ranks must make the same calls before they leave";
constexpr const char* before_they_close =
    "all ranks must make the same calls before they close a group";

const char* advice(Going how) {
  return how == Going::closes ? before_they_close : before_they_leave;
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

Failure left_behind(const Ranks& leavers, Going how, const Ranks& inside, const Round& round,
                    const Roster& roster) {
  const std::string one_goes = goes({leavers.front()}, how);
  return Failure{.code = Code::mismatch,
                 .reason = fmt::format("{} {}, {}", ranks_text(leavers), goes(leavers, how),
                                       are_in(inside, round.text())),
                 .advice = advice(how),
                 .who = both_sides(leavers, one_goes, inside, "is in " + round.text(), roster)};
}

Failure has_left(const Ranks& leavers, Going how, const Roster& roster) {
  return Failure{
      .code = Code::rank_left,
      .reason = fmt::format("{} {} {}", roster.text(leavers), leavers.size() == 1 ? "has" : "have",
                            how == Going::closes ? "closed the group" : "left the job"),
      .advice = advice(how),
      .who = roster.names(leavers)};
}

Failure gone_before(const Ranks& gone, const Roster& roster) {
  const Ranks first{gone.front()};
  const State state = roster.row(gone.front()).state;
  if (state == State::left) return has_left(first, Going::leaves, roster);
  const bool failed = state == State::failed;
  return Failure{
      .code = failed ? Code::rank_failed : Code::rank_lost,
      .reason = fmt::format("{} {}", roster.text(first), failed ? "has failed" : "is lost"),
      .advice = "make groups of the ranks that are there",
      .who = roster.names(gone)};
}

Failure other_members(std::uint64_t id, const Members& known, const Ranks& newcomers,
                      const Members& others, const Roster& roster) {
  return Failure{.code = Code::mismatch,
                 .reason = fmt::format("group {:016x} is known as the {}, {} {} it as the {}", id,
                                       known.text(), ranks_text(newcomers),
                                       newcomers.size() == 1 ? "opens" : "open", others.text()),
                 .advice = "all members must make the same groups in the same order",
                 .who = roster.names(newcomers)};
}

Failure missing(const Round& round, const Ranks& absent, std::uint32_t size, const Roster& roster,
                const Doing& doing, TimePoint now) {
  Failure failure{
      .code = Code::rank_missing,
      .reason = fmt::format("{} of {} ranks did not come to {} within {}: {}", absent.size(), size,
                            round.text(), seconds_text(now - round.since()), ranks_text(absent)),
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
