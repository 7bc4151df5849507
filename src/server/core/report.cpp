#include "server/core/report.hpp"

#include <algorithm>

#include "base/limits.hpp"
#include "base/text.hpp"

namespace muster::server {
namespace {

std::chrono::milliseconds milliseconds_between(TimePoint from, TimePoint to) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(to - from);
}

}  // namespace

std::string Report::waiting_in(std::uint32_t rank) const {
  const Roster::Row& row = members_.roster().row(rank);
  if (!row.linked) return {};
  if (std::string round = rounds_.waiting_in(rank); !round.empty()) return round;
  if (std::string wait = store_.waits().waiting_in(row.link); !wait.empty()) return wait;
  if (members_.leaving().waits(row.link)) return "leave";
  const bool gathering = members_.stage() == JobStatus::Stage::gathering;
  return gathering && row.state == State::joined ? "join" : "";
}

std::string Report::doing(std::uint32_t rank) const {
  const State state = members_.roster().row(rank).state;
  if (state == State::absent) return "has not joined";
  if (state != State::joined) return std::string("is ") + name(state);
  const std::string call = waiting_in(rank);
  return call.empty() ? "is in no call" : "is in " + call;
}

RosterRow Report::row(std::uint32_t rank, TimePoint now) const {
  const Roster::Row& row = members_.roster().row(rank);
  return RosterRow{.who = members_.roster().name(rank),
                   .state = row.state,
                   .since = milliseconds_between(row.since, now),
                   .waiting_in = waiting_in(rank)};
}

JobStatus Report::summary(TimePoint now) const {
  return JobStatus{.job = options_.job,
                   .incarnation = options_.incarnation.text(),
                   .size = members_.roster().size(),
                   .stage = members_.stage(),
                   .joined = members_.roster().count(State::joined),
                   .keys = store_.table().size(),
                   .age = milliseconds_between(started_, now),
                   .failure = members_.failure()};
}

JobStatus Report::page(std::uint32_t first_rank, std::uint32_t rows_max, TimePoint now) const {
  JobStatus status = summary(now);
  const std::uint32_t first = std::min(first_rank, status.size);
  const std::uint32_t count = std::min(rows_max, status.size - first);
  for (std::uint32_t i = 0; i < count; ++i) status.rows.push_back(row(first + i, now));
  if (first_rank != 0) return status;
  status.rounds = rounds_.open_rounds(now, limits::status_rows_max);
  status.seeking = members_.seekers();
  status.seekers = seekers(now);
  return status;
}

std::vector<Seeker> Report::seekers(TimePoint now) const {
  std::vector<Seeker> named;
  for (const Placing::Seeker& each : members_.placing().all()) {
    if (named.size() == limits::named_ranks_max) break;
    named.push_back({.host = printable(each.hello.host, limits::host_bytes_max),
                     .pid = each.hello.pid,
                     .since = milliseconds_between(each.since, now)});
  }
  return named;
}

}  // namespace muster::server
