#include "server/core/rounds.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "base/limits.hpp"
#include "server/core/wording.hpp"

namespace muster::server {
namespace {

bool may_bring(const wire::Arrive& arrive, std::uint32_t rank) {
  if (arrive.kind == Kind::barrier) return false;
  const bool roots_alone = arrive.kind == Kind::broadcast || arrive.kind == Kind::scatter;
  return !roots_alone || rank == arrive.root;
}

/// Whether a scatter's root, if it is here, brings a part for each rank.
bool deals_to_all(const wire::Arrive& arrive, std::uint32_t size) {
  if (arrive.kind != Kind::scatter) return true;
  for (const wire::Part& part : arrive.parts) {
    if (part.rank != arrive.root) continue;
    const auto offsets = wire::part_offsets(part.payload);
    return offsets && offsets->size() == std::size_t{size} + 1;
  }
  return true;
}

/// What is wrong with an ARRIVE by itself.
std::optional<std::string> nonsense(const wire::Arrive& arrive, std::uint32_t size) {
  if (arrive.label.size() > limits::label_bytes_max) {
    return fmt::format("a label has at most {} bytes, this one has {}", limits::label_bytes_max,
                       arrive.label.size());
  }
  if (arrive.root >= size) {
    return fmt::format("root {} is no rank of a group of {}", arrive.root, size);
  }
  for (const wire::Part& part : arrive.parts) {
    if (may_bring(arrive, part.rank) || part.payload.empty()) continue;
    return fmt::format("rank {} brings {} bytes to a {}, where it has nothing to bring", part.rank,
                       part.payload.size(), name(arrive.kind));
  }
  return std::nullopt;
}

}  // namespace

void Rounds::open_world(std::uint32_t size) {
  groups_.emplace(wire::world_group, GroupRounds(size, round_bytes_max_));
}

void Rounds::arrive(Bytes body, const ReplyTo& from, const Peer& peer, const Roster& roster,
                    TimePoint now, Outbox& out) {
  const auto arrive = wire::decode_arrive(body);
  if (!arrive) return out.malformed(from, body.size());
  for (const wire::Part& part : arrive->parts) {
    if (peer.speaks_for(part.rank)) continue;
    return out.fail(from, Code::protocol,
                    fmt::format("this link speaks for {}, not for rank {}",
                                ranks_text(peer.ranks()), part.rank));
  }
  const auto group = groups_.find(arrive->group);
  if (group == groups_.end()) {
    return out.fail(from, Code::invalid_argument,
                    fmt::format("there is no group {:016x}", arrive->group));
  }
  if (auto problem = nonsense(*arrive, roster.size())) {
    return out.fail(from, Code::invalid_argument, std::move(*problem));
  }
  if (!deals_to_all(*arrive, roster.size())) {
    return out.fail(from, Code::protocol,
                    fmt::format("rank {} is to bring a part for each of {} ranks to a scatter, and "
                                "brings something else",
                                arrive->root, roster.size()));
  }
  if (roster.row(peer.ranks().front()).state == State::left) {
    return out.fail(from, Code::invalid_state,
                    fmt::format("{} has left the job", roster.text(peer.ranks())));
  }
  group->second.arrive(*arrive, from, roster, now, out);
}

void Rounds::leave(const Ranks& ranks, const Roster& roster, Outbox& out) {
  for (auto& [id, group] : groups_) group.leave(ranks, roster, out);
}

void Rounds::lose(const Ranks& ranks, const SharedFailure& failure, Outbox& out) {
  for (auto& [id, group] : groups_) group.lose(ranks, failure, out);
}

void Rounds::drop_link(LinkId link) {
  for (auto& [id, group] : groups_) group.drop_link(link);
}

void Rounds::forget(const Ranks& ranks) {
  for (auto& [id, group] : groups_) group.forget(ranks);
}

void Rounds::break_off(const SharedFailure& failure, Outbox& out) {
  for (auto& [id, group] : groups_) group.break_off(failure, out);
}

const SharedFailure* Rounds::world_broken() const {
  const auto world = groups_.find(wire::world_group);
  return world == groups_.end() ? nullptr : world->second.broken();
}

void Rounds::expire(const Roster& roster, const Doing& doing, TimePoint now, Outbox& out) {
  for (auto& [id, group] : groups_) group.expire(roster, doing, now, out);
}

std::optional<TimePoint> Rounds::next_deadline() const {
  std::optional<TimePoint> next;
  for (const auto& [id, group] : groups_) {
    const auto deadline = group.next_deadline();
    if (deadline && (!next || *deadline < *next)) next = deadline;
  }
  return next;
}

std::string Rounds::waiting_in(std::uint32_t rank) const {
  for (const auto& [id, group] : groups_) {
    if (std::string what = group.waiting_in(rank); !what.empty()) return what;
  }
  return {};
}

std::vector<OpenRound> Rounds::open_rounds(TimePoint now) const {
  std::vector<OpenRound> rounds;
  for (const auto& [id, group] : groups_) {
    if (auto open = group.open_round(now)) {
      open->group = id;
      rounds.push_back(std::move(*open));
    }
  }
  return rounds;
}

std::size_t Rounds::size() const {
  std::size_t size = 0;
  for (const auto& [id, group] : groups_) {
    size += group.tombstones() + (group.next_deadline() ? 1 : 0);
  }
  return size;
}

}  // namespace muster::server
