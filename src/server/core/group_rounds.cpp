#include "server/core/group_rounds.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <limits>
#include <utility>

#include "base/assert.hpp"
#include "base/limits.hpp"
#include "server/core/reserve.hpp"
#include "server/core/round_failures.hpp"
#include "server/core/wording.hpp"

namespace muster::server {
namespace {

/// Stands in `arrived_` for a rank that comes to no round any more.
constexpr std::uint64_t gone = std::numeric_limits<std::uint64_t>::max();

std::size_t payload_bytes(const wire::Arrive& arrive) {
  std::size_t bytes = 0;
  for (const wire::Part& part : arrive.parts) bytes += part.payload.size();
  return bytes;
}

Ranks seats_of(const wire::Arrive& arrive) {
  Ranks seats;
  for (const wire::Part& part : arrive.parts) seats.push_back(part.rank);
  return seats;
}

}  // namespace

/// A verdict has to fit a frame, with the length of each part.
GroupRounds::GroupRounds(Members members, std::size_t round_bytes_max)
    : members_(std::move(members)),
      round_bytes_max_(std::min(
          round_bytes_max, limits::frame_body_bytes_max - 4 * (std::size_t{members_.size()} + 1))),
      arrived_(members_.size()),
      present_(members_.size()) {}

void GroupRounds::arrive(const wire::Arrive& arrive, const ReplyTo& from, const Roster& roster,
                         TimePoint now, Outbox& out) {
  if (passes_ended(arrive, from, out)) return;
  if (auto problem = out_of_step(arrive)) {
    return out.fail(from, Code::protocol, std::move(*problem));
  }
  enter(arrive, from, roster, now, out);
}

/// A round that is over has its tombstone; a broken group answers everything else alike.
bool GroupRounds::passes_ended(const wire::Arrive& arrive, const ReplyTo& from, Outbox& out) {
  const bool in_step = std::ranges::all_of(arrive.parts, [&](const wire::Part& part) {
    return arrived_[part.rank] + 1 == arrive.sequence;
  });
  const auto tombstone = in_step ? tombstones_.find(arrive.sequence) : tombstones_.end();
  if (tombstone != tombstones_.end()) {
    out.fail(from, tombstone->second.verdict);
    mark_arrived(arrive);
    tombstone->second.pending -= static_cast<std::uint32_t>(arrive.parts.size());
    if (tombstone->second.pending == 0) tombstones_.erase(tombstone);
    return true;
  }
  if (!broken_) return false;
  out.fail(from, *broken_);
  return true;
}

/// Nothing, if all ranks of `arrive` come to the round that is open, or that they may open.
std::optional<std::string> GroupRounds::out_of_step(const wire::Arrive& arrive) const {
  for (const wire::Part& part : arrive.parts) {
    const std::uint64_t last = arrived_[part.rank];
    if (last + 1 == arrive.sequence) continue;
    return fmt::format("rank {} comes to round {}, after round {} it can only come to round {}",
                       members_.rank(part.rank), arrive.sequence, last, last + 1);
  }
  if (round_.is_open() && arrive.sequence != round_.sequence()) {
    return fmt::format("round {} is open, {} would begin round {}", round_.sequence(),
                       ranks_text(members_.ranks_of(seats_of(arrive))), arrive.sequence);
  }
  return std::nullopt;
}

void GroupRounds::enter(const wire::Arrive& arrive, const ReplyTo& from, const Roster& roster,
                        TimePoint now, Outbox& out) {
  if (!round_.is_open()) {
    MUSTER_ASSERT(arrive.sequence == ended_ + 1);
    round_.open(arrive, static_cast<std::uint32_t>(arrived_.size()), now);
  }
  auto difference = round_.difference(arrive);
  const std::size_t total = round_.payload_bytes() + payload_bytes(arrive);
  mark_arrived(arrive);
  if (difference) {
    Ranks before;
    std::ranges::set_difference(seats(true), difference->ranks, std::back_inserter(before));
    difference->ranks = members_.ranks_of(std::move(difference->ranks));
    round_.add_answer(from);
    const Failure failure = mismatch(*difference, members_.ranks_of(std::move(before)), roster);
    return break_off(share(in_group(failure)), out);
  }
  if (total > round_bytes_max_) {
    round_.add_answer(from);
    const Ranks newcomers = members_.ranks_of(seats_of(arrive));
    return end_with_tombstone(too_large(round_, newcomers, total, round_bytes_max_, roster), out);
  }
  round_.add(arrive, from);
  round_.end_by(answer_by(now, arrive.left_ms));
  if (round_.arrived() < arrived_.size()) return;
  ended_ = round_.sequence();
  round_.finish(out);
}

void GroupRounds::mark_arrived(const wire::Arrive& arrive) {
  for (const wire::Part& part : arrive.parts) arrived_[part.rank] = arrive.sequence;
}

void GroupRounds::leave(const Ranks& leavers, Going how, const Roster& roster, Outbox& out) {
  if (broken_) return forget(leavers);
  const Failure failure = round_.is_open() ? left_behind(leavers, how, ranks(true), round_, roster)
                                           : has_left(leavers, how, roster);
  lose(leavers, share(in_group(failure)), out);
}

void GroupRounds::lose(const Ranks& ranks, const SharedFailure& failure, Outbox& out) {
  break_off(failure, out);
  forget(ranks);
}

void GroupRounds::break_off(const SharedFailure& failure, Outbox& out) {
  if (!broken_) broken_ = failure;
  if (!round_.is_open()) return;
  ended_ = round_.sequence();
  round_.fail(failure, out);
}

void GroupRounds::expire(const Roster& roster, const Doing& doing, TimePoint now, Outbox& out) {
  if (!round_.is_open() || round_.deadline() > now) return;
  end_with_tombstone(missing(round_, ranks(false), members_.size(), roster, doing, now), out);
}

/// The group stays usable: who comes late is told the same.
void GroupRounds::end_with_tombstone(Failure failure, Outbox& out) {
  const auto pending = static_cast<std::uint32_t>(seats(false).size());
  const bool full = pending > 0 && tombstones_.size() >= limits::tombstones_max;
  if (full) {
    failure.reason +=
        fmt::format("; the group is broken, since ranks are more than {} rounds behind",
                    limits::tombstones_max);
  }
  const SharedFailure verdict = share(in_group(std::move(failure)));
  if (full) return break_off(verdict, out);
  ended_ = round_.sequence();
  if (pending > 0) tombstones_.emplace(ended_, Tombstone{verdict, pending});
  round_.fail(verdict, out);
}

void GroupRounds::forget(const Ranks& ranks) {
  const Ranks seats = members_.seats_of(ranks);
  for (auto at = tombstones_.begin(); at != tombstones_.end();) {
    const auto behind = std::ranges::count_if(
        seats, [&](std::uint32_t seat) { return arrived_[seat] < at->first; });
    at->second.pending -= static_cast<std::uint32_t>(behind);
    at = at->second.pending == 0 ? tombstones_.erase(at) : std::next(at);
  }
  for (const std::uint32_t seat : seats) {
    if (std::exchange(arrived_[seat], gone) != gone) --present_;
  }
}

std::optional<TimePoint> GroupRounds::next_deadline() const {
  if (!round_.is_open()) return std::nullopt;
  return round_.deadline();
}

std::string GroupRounds::waiting_in(std::uint32_t rank) const {
  const auto seat = members_.seat(rank);
  return round_.is_open() && seat && has_arrived(*seat) ? in_group(round_.text()) : std::string{};
}

std::optional<OpenRound> GroupRounds::open_round(TimePoint now) const {
  if (!round_.is_open()) return std::nullopt;
  OpenRound open{.sequence = round_.sequence(),
                 .what = in_group(round_.what()),
                 .arrived = round_.arrived(),
                 .age = std::chrono::duration_cast<std::chrono::milliseconds>(now - round_.since()),
                 .missing = ranks(false)};
  if (open.missing.size() > limits::named_ranks_max) open.missing.resize(limits::named_ranks_max);
  return open;
}

/// Those who have arrived at the open round, or those who have not.
Ranks GroupRounds::seats(bool arrived) const {
  Ranks seats;
  for (std::uint32_t seat = 0; seat < arrived_.size(); ++seat) {
    if (has_arrived(seat) == arrived) seats.push_back(seat);
  }
  return seats;
}

/// Says which group it is about, if there can be a doubt.
Failure GroupRounds::in_group(Failure failure) const {
  if (!members_.is_world()) failure.reason += "; in the " + members_.text();
  return failure;
}

std::string GroupRounds::in_group(std::string call) const {
  return members_.is_world() ? call : fmt::format("{}, {}", call, members_.text());
}

}  // namespace muster::server
