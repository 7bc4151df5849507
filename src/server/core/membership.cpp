#include "server/core/membership.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "base/limits.hpp"
#include "base/text.hpp"
#include "server/core/reserve.hpp"
#include "server/core/wording.hpp"
#include "wire/notices.hpp"

namespace muster::server {
namespace {

/// What a process can end with and be seen to have failed.
int exit_code(std::int32_t said) {
  return said >= 1 && said <= 255 ? said : 1;
}

}  // namespace

Membership::Membership(const CoreOptions& options, Rounds& rounds, StoreRequests& store,
                       TimePoint now)
    : options_(options), rounds_(rounds), store_(store) {
  if (options.size != 0) set_size(options.size, now);
}

Standing Membership::standing() const {
  return {complete_, ended_ || stopping_, failure_ ? &*failure_ : nullptr, seekers()};
}

void Membership::set_size(std::uint32_t size, TimePoint now) {
  roster_.set_size(size, now);
  rounds_.open_world(size);
}

void Membership::admit(const Peer& peer, LinkId link, const wire::ClientHello& hello, TimePoint now,
                       Outbox& out) {
  if (roster_.size() == 0) set_size(hello.size, now);
  roster_.join(peer.ranks(), link, hello, now);
  gathering_.admitted(now, hello.left_ms);
  out.log(LogLevel::debug,
          fmt::format("{} joined from {}: {} of {} are in", roster_.text(peer.ranks()),
                      printable(peer.address()), roster_.size() - roster_.count(State::absent),
                      roster_.size()));
  if (roster_.count(State::absent) == 0) complete(out);
}

void Membership::seek(LinkId link, wire::ClientHello hello, TimePoint now, Outbox& out) {
  if (roster_.size() == 0) set_size(hello.size, now);
  gathering_.admitted(now, hello.left_ms);
  out.log(LogLevel::debug,
          fmt::format("{} (pid {}) waits for a rank", printable(hello.host), hello.pid));
  placing_.add(link, std::move(hello), now);
}

std::vector<Placing::Seeker> Membership::take_placed() {
  if (seekers() == 0 || seekers() != roster_.count(State::absent)) return {};
  return placing_.place(roster_.all(State::absent));
}

std::vector<Placing::Seeker> Membership::take_dismissed() {
  if (!failure_ && !stopping_) return {};
  return placing_.dismiss();
}

void Membership::lose_seeker(LinkId link, std::string_view why, Outbox& out) {
  const auto lost = placing_.drop(link);
  if (!lost) return;
  const RankName who{.host = printable(lost->hello.host, limits::host_bytes_max),
                     .pid = lost->hello.pid,
                     .detail = "waited for its rank"};
  doom(Failure{.code = Code::rank_lost,
               .reason = fmt::format("a process that waited for its rank, host {}, pid {}, is "
                                     "lost: {}",
                                     who.host, who.pid, printable(why, limits::text_bytes_max)),
               .advice = "see the output of that process for why it ended",
               .who = {who}},
       out);
}

std::string Membership::presence() const {
  std::string text = roster_.presence();
  if (seekers() != 0) text += fmt::format("; {} wait for the server to give them one", seekers());
  return text;
}

void Membership::complete(Outbox& out) {
  complete_ = true;
  gathering_.end();
  roster_.each_link(State::joined, [&](LinkId link) {
    out.empty({link, wire::Type::mustered, 0});
  });
  out.log(LogLevel::info,
          fmt::format("job {} is complete, size {}", quoted(options_.job), roster_.size()));
  out.event(Mustered{});
}

void Membership::unlink(const Peer& peer, LinkId link, std::string_view why, TimePoint now,
                        Outbox& out) {
  leaving_.drop_link(link);
  roster_.unlink(peer.ranks());
  if (roster_.row(peer.ranks().front()).state == State::joined) lose(peer.ranks(), why, now, out);
  end_if_all_gone(out);
}

void Membership::lose(const Ranks& ranks, std::string_view why, TimePoint now, Outbox& out) {
  roster_.set_state(ranks, State::lost, now);
  Failure lost{
      .code = Code::rank_lost,
      .reason = fmt::format("{} {} lost: {}", roster_.text(ranks), ranks.size() == 1 ? "is" : "are",
                            printable(why, limits::text_bytes_max)),
      .advice = "see the output of that process for why it ended",
      .who = roster_.names(ranks)};
  store_.depart(ranks, Code::rank_lost, roster_, out);
  rounds_.lose(ranks, share(lost), out);
  const bool anyone_there = roster_.count(State::joined) != 0;
  const bool fatal = !complete_ || (options_.on_loss == OnLoss::fail_job && anyone_there);
  if (failure_ || stopping_) {
    out.log(LogLevel::debug, lost.reason);
  } else if (fatal) {
    doom(std::move(lost), out);
  } else {
    out.log(anyone_there ? LogLevel::warning : LogLevel::info, lost.reason);
  }
}

void Membership::fail(Bytes body, const ReplyTo& to, const Peer& peer, TimePoint now, Outbox& out) {
  const auto request = wire::decode_fail(body);
  if (!request) return out.malformed(to, body.size());
  const Ranks& ranks = peer.ranks();
  const State state = roster_.row(ranks.front()).state;
  if (state == State::left) {
    return out.fail(to, Code::invalid_state,
                    fmt::format("{} has left the job", roster_.text(ranks)));
  }
  if (state == State::joined) {
    roster_.set_state(ranks, State::failed, now);
    store_.depart(ranks, Code::rank_failed, roster_, out);
  }
  if (failure_) {
    rounds_.forget(ranks);
    out.fail(to, shared_failure_);
  } else {
    out.empty(to);
    Failure failure{.code = Code::rank_failed,
                    .reason = fmt::format("{} failed: {}", roster_.text(ranks),
                                          printable(request->reason, limits::text_bytes_max)),
                    .who = roster_.names(ranks),
                    .exit_code = exit_code(request->exit_code)};
    rounds_.lose(ranks, share(failure), out);
    doom(std::move(failure), out);
  }
  end_if_all_gone(out);
}

void Membership::leave(Bytes body, const ReplyTo& to, const Peer& peer, TimePoint now,
                       Outbox& out) {
  const auto request = wire::decode_leave(body);
  if (!request) return out.malformed(to, body.size());
  const Ranks& ranks = peer.ranks();
  const State state = roster_.row(ranks.front()).state;
  if (state == State::left || leaving_.waits(to.link)) {
    return out.fail(to, Code::invalid_state,
                    fmt::format("{} has left the job already", roster_.text(ranks)));
  }
  if (request->now) {
    out.empty(to);
  } else {
    leaving_.add({to, now, answer_by(now, request->wait_ms)});
  }
  if (state == State::joined) {
    rounds_.leave(ranks, roster_, out);
    roster_.set_state(ranks, State::left, now);
    store_.depart(ranks, Code::rank_left, roster_, out);
    out.log(LogLevel::debug, fmt::format("{} left", roster_.text(ranks)));
    if (!complete_) {
      doom(Failure{.code = Code::rank_left,
                   .reason = fmt::format("{} left before all ranks were in; {}",
                                         roster_.text(ranks), roster_.presence()),
                   .who = roster_.names(ranks)},
           out);
    }
  }
  end_if_all_gone(out);
}

void Membership::doom(Failure failure, Outbox& out) {
  if (failure_) return;
  failure_ = std::move(failure);
  shared_failure_ = share(*failure_);
  gathering_.end();
  store_.fail_all(shared_failure_, out);
  rounds_.break_off(shared_failure_, out);
  rounds_.forget(roster_.all(State::absent));  // they are not let in any more
  const auto tell = [&](LinkId link) { out.fail({link, wire::Type::doomed, 0}, shared_failure_); };
  roster_.each_link(State::joined, tell);
  roster_.each_link(State::failed, tell);
  out.log(LogLevel::warning,
          fmt::format("job {} has failed: {}", quoted(options_.job), failure_->reason));
  out.event(Doomed{*failure_});
  end_if_all_gone(out);
}

void Membership::stop(const Doing& doing, TimePoint now, Outbox& out) {
  if (stopping_) return;
  stopping_ = true;
  for (const Leaving::Wait& wait : leaving_.take_all()) {
    if (failure_) {
      out.empty(wait.to);
      continue;
    }
    // Not their time ran out: whoever serves went first, which the times alone would not tell.
    Failure cut_short = not_left(doing, now - wait.since);
    cut_short.reason = "the server is stopping, and " + cut_short.reason;
    out.fail(wait.to, cut_short);
  }
  gathering_.end();
  stopping_failure_ = share(Failure{
      .code = Code::server_lost, .reason = "the server is stopping", .advice = "leave the job"});
  // A serving rank that ends over a broken world is not the reason: who would have come to that
  // round later is to hear what broke it.
  const SharedFailure* broken = rounds_.world_broken();
  const bool over_it = broken != nullptr && broken->code != Code::rank_left;
  const SharedFailure& leaving = over_it ? *broken : stopping_failure_;
  roster_.each_link(State::joined, [&](LinkId link) {
    out.fail({link, wire::Type::server_leaving, 0}, leaving);
  });
}

void Membership::end_if_all_gone(Outbox& out) {
  const bool nobody_to_come =
      failure_ || (roster_.size() != 0 && roster_.count(State::absent) == 0);
  if (!nobody_to_come || roster_.count(State::joined) != 0) return;
  for (const Leaving::Wait& wait : leaving_.take_all()) out.empty(wait.to);
  if (ended_) return;
  ended_ = true;
  out.log(LogLevel::debug, fmt::format("job {} has ended", quoted(options_.job)));
  out.event(Ended{});
}

void Membership::expire(const Doing& doing, TimePoint now, Outbox& out) {
  if (gathering_.deadline() && *gathering_.deadline() <= now) {
    doom(gathering_.missing(roster_, seekers(), now), out);
  } else if (gathering_.line_due(now)) {
    out.log(LogLevel::warning,
            fmt::format("after {}, {}", seconds_text(gathering_.elapsed(now)), presence()));
  }
  for (const Leaving::Wait& wait : leaving_.take_due(now)) {
    out.fail(wait.to, not_left(doing, now - wait.since));
  }
}

Failure Membership::not_left(const Doing& doing, Duration waited) const {
  const Ranks ranks = roster_.all(State::joined);
  Failure failure{.code = Code::rank_missing,
                  .reason = fmt::format("{} of {} ranks did not leave within {}: {}", ranks.size(),
                                        roster_.size(), seconds_text(waited), ranks_text(ranks)),
                  .advice = "see what these ranks are doing, or give them more time",
                  .who = roster_.names(ranks)};
  for (RankName& name : failure.who) name.detail = doing(name.rank);
  return failure;
}

std::optional<TimePoint> Membership::next_deadline() const {
  const auto gathering = gathering_.next();
  const auto leaving = leaving_.next_deadline();
  if (gathering && leaving) return std::min(*gathering, *leaving);
  return gathering ? gathering : leaving;
}

JobStatus::Stage Membership::stage() const {
  if (ended_) return JobStatus::Stage::ended;
  if (failure_) return JobStatus::Stage::doomed;
  if (!complete_) return JobStatus::Stage::gathering;
  return roster_.count(State::left) != 0 ? JobStatus::Stage::leaving : JobStatus::Stage::running;
}

}  // namespace muster::server
