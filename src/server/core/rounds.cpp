#include "server/core/rounds.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "base/limits.hpp"
#include "server/core/round_failures.hpp"
#include "server/core/wording.hpp"
#include "wire/kinds.hpp"

namespace muster::server {
namespace {

bool may_bring(const wire::Arrive& arrive, std::uint32_t rank) {
  if (arrive.kind == Kind::barrier) return false;
  const bool roots_alone = arrive.kind == Kind::broadcast || arrive.kind == Kind::scatter;
  return !roots_alone || rank == arrive.root;
}

/// Whether `value` holds a part for each of `size` ranks, and, if `one_size`, all alike.
bool holds_parts(Bytes value, std::uint32_t size, bool one_size) {
  const auto offsets = wire::part_offsets(value);
  if (!offsets || offsets->size() != std::size_t{size} + 1) return false;
  const auto length = [&](std::size_t i) { return (*offsets)[i + 1] - (*offsets)[i]; };
  for (std::size_t i = 1; one_size && i < size; ++i) {
    if (length(i) != length(0)) return false;
  }
  return true;
}

/// A rank that is to bring a part for each rank and does not, if there is one.
std::optional<std::uint32_t> deals_badly(const wire::Arrive& arrive, std::uint32_t size) {
  const bool all_deal = arrive.kind == Kind::alltoall;
  if (!wire::deals(arrive.kind)) return std::nullopt;
  for (const wire::Part& part : arrive.parts) {
    const bool deals = all_deal || part.rank == arrive.root;
    if (deals && !holds_parts(part.payload, size, all_deal)) return part.rank;
  }
  return std::nullopt;
}

/// What is wrong with an ARRIVE by itself, once it goes by seats.
std::optional<Error> nonsense(const wire::Arrive& arrive, const Members& members) {
  const auto wrong = [](Code code, std::string what) {
    return Error{.code = code, .what = std::move(what)};
  };
  if (arrive.label.size() > limits::label_bytes_max) {
    return wrong(Code::invalid_argument,
                 fmt::format("a label has at most {} bytes, this one has {}",
                             limits::label_bytes_max, arrive.label.size()));
  }
  if (arrive.root >= members.size()) {
    return wrong(Code::invalid_argument,
                 fmt::format("root {} is no rank of a group of {}", arrive.root, members.size()));
  }
  for (const wire::Part& part : arrive.parts) {
    if (may_bring(arrive, part.rank) || part.payload.empty()) continue;
    return wrong(Code::invalid_argument,
                 fmt::format("rank {} brings {} bytes to a {}, where it has nothing to bring",
                             members.rank(part.rank), part.payload.size(), name(arrive.kind)));
  }
  if (const auto rank = deals_badly(arrive, members.size())) {
    return wrong(Code::protocol,
                 fmt::format("rank {} is to bring a part for each of {} ranks to this {}{}, and "
                             "brings something else",
                             members.rank(*rank), members.size(), name(arrive.kind),
                             arrive.kind == Kind::alltoall ? ", all of one size" : ""));
  }
  // What a link gets of an alltoall has to be one verdict.
  const std::size_t parts = arrive.parts.size() * members.size();
  if (arrive.kind != Kind::alltoall || parts <= limits::ranks_max) return std::nullopt;
  return wrong(Code::limit, fmt::format("this link would get {} parts of an alltoall, {} for each "
                                        "of its ranks, of at most {}",
                                        parts, members.size(), limits::ranks_max));
}

/// From ranks of the job to seats, ascending. Returns a rank that is no member, if there is one.
std::optional<std::uint32_t> go_by_seats(const Members& members, wire::Arrive& arrive) {
  for (wire::Part& part : arrive.parts) {
    const auto seat = members.seat(part.rank);
    if (!seat) return part.rank;
    part.rank = *seat;
  }
  if (!members.is_world()) std::ranges::sort(arrive.parts, {}, &wire::Part::rank);
  return std::nullopt;
}

/// The first of `ranks` that `peer` does not speak for.
template <class List, class RankOf>
std::optional<std::uint32_t> not_spoken_for(const Peer& peer, const List& ranks, RankOf rank_of) {
  for (const auto& each : ranks) {
    if (!peer.speaks_for(rank_of(each))) return rank_of(each);
  }
  return std::nullopt;
}

void refuse_speaker(const Peer& peer, std::uint32_t rank, const ReplyTo& from, Outbox& out) {
  out.fail(from, Code::protocol,
           fmt::format("this link speaks for {}, not for rank {}", ranks_text(peer.ranks()), rank));
}

/// True if the peer has left the job; it has been told then.
bool refuse_leaver(const Peer& peer, const ReplyTo& from, const Roster& roster, Outbox& out) {
  if (roster.row(peer.ranks().front()).state != State::left) return false;
  out.fail(from, Code::invalid_state,
           fmt::format("{} has left the job", roster.text(peer.ranks())));
  return true;
}

/// What is wrong with a new group by itself.
std::optional<std::string> senseless(const wire::OpenGroup& request, const Peer& peer,
                                     std::uint32_t job_size) {
  if (request.group == wire::world_group) return "group 0 is the world, which is always open";
  Ranks ranks = request.members;
  std::ranges::sort(ranks);
  if (const auto twice = std::ranges::adjacent_find(ranks); twice != ranks.end()) {
    return fmt::format("rank {} is twice among the members of a group", *twice);
  }
  if (ranks.back() >= job_size) {
    return fmt::format("rank {} is no rank of a job of {}", ranks.back(), job_size);
  }
  const auto is_of_peer = [&](std::uint32_t rank) { return peer.speaks_for(rank); };
  if (std::ranges::any_of(ranks, is_of_peer)) return std::nullopt;
  return fmt::format("{} opens a group that it is no member of: the {}", ranks_text(peer.ranks()),
                     Members(request.members).text());
}

}  // namespace

void Rounds::arrive(Bytes body, const ReplyTo& from, const Peer& peer, const Roster& roster,
                    TimePoint now, Outbox& out) {
  auto arrive = wire::decode_arrive(body);
  if (!arrive) return out.malformed(from, body.size());
  const auto rank_of = [](const wire::Part& part) { return part.rank; };
  if (const auto rank = not_spoken_for(peer, arrive->parts, rank_of)) {
    return refuse_speaker(peer, *rank, from, out);
  }
  if (refuse_leaver(peer, from, roster, out)) return;
  const GroupRounds* group = groups_.find(arrive->group);
  if (group == nullptr) {
    return out.fail(from, Code::invalid_argument,
                    fmt::format("there is no group {:016x}", arrive->group));
  }
  if (const auto rank = go_by_seats(group->members(), *arrive)) {
    return out.fail(from, Code::protocol,
                    fmt::format("rank {} is no member of the {}", *rank, group->members().text()));
  }
  if (auto problem = nonsense(*arrive, group->members())) {
    return out.fail(from, std::move(*problem));
  }
  groups_.change(arrive->group,
                 [&](GroupRounds& rounds) { rounds.arrive(*arrive, from, roster, now, out); });
}

void Rounds::open_group(Bytes body, const ReplyTo& from, const Peer& peer, const Roster& roster,
                        Outbox& out) {
  auto request = wire::decode_open_group(body);
  if (!request) return out.malformed(from, body.size());
  if (auto problem = senseless(*request, peer, roster.size())) {
    return out.fail(from, Code::invalid_argument, std::move(*problem));
  }
  if (refuse_leaver(peer, from, roster, out)) return;
  const GroupRounds* known = groups_.find(request->group);
  if (known == nullptr) {
    if (over_) return out.fail(from, *over_);
    if (const auto failure = full(*request)) return out.fail(from, *failure);
    make_group(*std::move(request), roster, out);
  } else if (known->members().in_order() != request->members) {
    const Failure failure = other_members(request->group, known->members(), peer.ranks(),
                                          Members(request->members), roster);
    const SharedFailure shared = share(failure);
    groups_.change(request->group, [&](GroupRounds& rounds) { rounds.break_off(shared, out); });
    return out.fail(from, shared);
  }
  out.empty(from);
}

/// A member that is gone already will not come: the group is broken from its beginning.
void Rounds::make_group(wire::OpenGroup request, const Roster& roster, Outbox& out) {
  Ranks gone;
  for (const std::uint32_t rank : request.members) {
    const State state = roster.row(rank).state;
    if (state != State::absent && state != State::joined) gone.push_back(rank);
  }
  std::ranges::sort(gone);
  groups_.add(request.group, Members(std::move(request.members)));
  if (gone.empty()) return;
  groups_.unlist(request.group, gone);
  const SharedFailure failure = share(gone_before(gone, roster));
  groups_.change(request.group, [&](GroupRounds& rounds) { rounds.lose(gone, failure, out); });
}

std::optional<Failure> Rounds::full(const wire::OpenGroup& request) const {
  for (const std::uint32_t rank : request.members) {
    if (groups_.subsets_of(rank).size() < limits::groups_a_rank_max) continue;
    return Failure{
        .code = Code::limit,
        .reason = fmt::format("a rank is in at most {} subsets at a time, and rank {} is in as "
                              "many; this one, the {}, is one too many",
                              limits::groups_a_rank_max, rank, Members(request.members).text()),
        .advice = "end the groups that are not used any more, on all their ranks"};
  }
  return std::nullopt;
}

void Rounds::close_group(Bytes body, const ReplyTo& from, const Peer& peer, const Roster& roster,
                         Outbox& out) {
  const auto request = wire::decode_close_group(body);
  if (!request) return out.malformed(from, body.size());
  const auto rank_of = [](std::uint32_t rank) { return rank; };
  if (const auto rank = not_spoken_for(peer, request->ranks, rank_of)) {
    return refuse_speaker(peer, *rank, from, out);
  }
  if (request->group == wire::world_group) {
    return out.fail(from, Code::invalid_argument, "group 0 is the world, which is never closed");
  }
  const GroupRounds* group = groups_.find(request->group);
  if (group == nullptr) return out.empty(from);
  for (const std::uint32_t rank : request->ranks) {
    if (!group->members().seat(rank)) {
      return out.fail(from, Code::protocol,
                      fmt::format("rank {} is no member of the {}", rank, group->members().text()));
    }
  }
  out.empty(from);
  groups_.unlist(request->group, request->ranks);
  groups_.change(request->group, [&](GroupRounds& rounds) {
    rounds.leave(request->ranks, Going::closes, roster, out);
  });
}

void Rounds::leave(const Ranks& ranks, const Roster& roster, Outbox& out) {
  groups_.change_of(ranks,
                    [&](GroupRounds& rounds) { rounds.leave(ranks, Going::leaves, roster, out); });
  groups_.unlist(ranks);
}

void Rounds::lose(const Ranks& ranks, const SharedFailure& failure, Outbox& out) {
  groups_.change_of(ranks, [&](GroupRounds& rounds) { rounds.lose(ranks, failure, out); });
  groups_.unlist(ranks);
}

void Rounds::drop_link(LinkId link, const Ranks& ranks) {
  groups_.change_of(ranks, [&](GroupRounds& rounds) { rounds.drop_link(link); });
}

void Rounds::forget(const Ranks& ranks) {
  groups_.change_of(ranks, [&](GroupRounds& rounds) { rounds.forget(ranks); });
  groups_.unlist(ranks);
}

void Rounds::break_off(const SharedFailure& failure, Outbox& out) {
  over_ = failure;
  groups_.change_all([&](GroupRounds& rounds) { rounds.break_off(failure, out); });
}

const SharedFailure* Rounds::world_broken() const {
  return groups_.world() == nullptr ? nullptr : groups_.world()->broken();
}

void Rounds::expire(const Roster& roster, const Doing& doing, TimePoint now, Outbox& out) {
  const auto expire = [&](GroupRounds& rounds) { rounds.expire(roster, doing, now, out); };
  if (groups_.world() != nullptr) groups_.change(wire::world_group, expire);
  for (const GroupId id : groups_.due(now)) groups_.change(id, expire);
}

std::string Rounds::waiting_in(std::uint32_t rank) const {
  std::string calls = groups_.world() == nullptr ? "" : groups_.world()->waiting_in(rank);
  for (const GroupId id : groups_.subsets_of(rank)) {
    const std::string call = groups_.find(id)->waiting_in(rank);
    if (!call.empty()) calls += (calls.empty() ? "" : " and ") + call;
  }
  return calls;
}

std::vector<OpenRound> Rounds::open_rounds(TimePoint now, std::size_t rounds_max) const {
  std::vector<OpenRound> rounds;
  const auto add = [&](GroupId id, const GroupRounds& group) {
    auto open = group.open_round(now);
    if (!open || rounds.size() >= rounds_max) return;
    open->group = id;
    rounds.push_back(std::move(*open));
  };
  if (groups_.world() != nullptr) add(wire::world_group, *groups_.world());
  for (const GroupId id : groups_.all_subsets()) add(id, *groups_.find(id));
  return rounds;
}

}  // namespace muster::server
