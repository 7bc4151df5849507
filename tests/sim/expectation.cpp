#include "expectation.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "describe.hpp"

namespace muster::sim {
namespace {

/// The one rank in trouble, or no_rank.
std::uint32_t culprit_of(const Plan& plan) {
  for (std::uint32_t rank = 0; rank < plan.size; ++rank) {
    if (plan.ranks[rank].trouble != Trouble::none) return rank;
  }
  return no_rank;
}

/// The failures that a trouble leads to.
std::vector<Code> consequences(Trouble trouble) {
  switch (trouble) {
    case Trouble::none:
    case Trouble::sleeps:
      return {};
    case Trouble::absent:
      return {Code::rank_missing};
    case Trouble::drift:
      return {Code::contract_mismatch};
    case Trouble::wrong_call:  // also when the others have no call left
    case Trouble::skips:
      return {Code::mismatch, Code::rank_left};
    case Trouble::crash:  // refused: it returned while the others were still coming
      return {Code::rank_lost, Code::rank_missing, Code::refused};
    case Trouble::fails:
      return {Code::rank_failed};
    case Trouble::leaves:
      return {Code::mismatch, Code::rank_left};
    case Trouble::bad_size:
    case Trouble::duplicate:
      return {Code::refused};
  }
  return {};
}

/// Whoever gives up after a failure ends its other groups, too, and may be named there instead.
bool is_knock_on(const Plan& plan, Code code) {
  const auto of_subset = [](const Step& step) { return step.group != all_ranks; };
  const bool has_subsets = std::ranges::any_of(plan.script, of_subset);
  return has_subsets && (code == Code::mismatch || code == Code::rank_left);
}

bool contains(const std::vector<Code>& codes, Code code) {
  return std::ranges::find(codes, code) != codes.end();
}

}  // namespace

std::optional<std::string> unexpected(const Plan& plan, Deed deed, const Error& error) {
  const std::uint32_t culprit = culprit_of(plan);
  const Trouble trouble = culprit == no_rank ? Trouble::none : plan.ranks[culprit].trouble;
  const bool small_bound = plan.round_bytes_max < limits::round_bytes_max;
  if (deed == Deed::collective && small_bound && error.code == Code::limit) return std::nullopt;
  // A key of a rank that is in trouble may never come.
  const bool may_wait = deed == Deed::store && trouble != Trouble::none;
  if (may_wait && error.code == Code::timeout) return std::nullopt;
  const bool goes_on = deed == Deed::collective && trouble != Trouble::none;
  if (goes_on && is_knock_on(plan, error.code)) return std::nullopt;
  const std::string seen = fmt::format("with {} of rank {}: {}", name(trouble),
                                       static_cast<std::int64_t>(culprit), describe(error));
  if (deed == Deed::leave || !contains(consequences(trouble), error.code)) return seen;
  const bool names_it =
      std::ranges::any_of(error.ranks, [&](const RankName& who) { return who.rank == culprit; });
  const bool out_of_step = trouble == Trouble::wrong_call || trouble == Trouble::skips;
  const bool must_name = error.code != Code::contract_mismatch && trouble != Trouble::duplicate &&
                         !(out_of_step && error.code == Code::rank_left) &&
                         plan.size <= limits::named_ranks_max / 2;
  if (must_name && !names_it) return "culprit not named, " + seen;
  return std::nullopt;
}

}  // namespace muster::sim
