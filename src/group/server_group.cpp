#include "group/server_group.hpp"

#include <algorithm>
#include <atomic>
#include <fmt/format.h>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/assert.hpp"
#include "base/fork.hpp"
#include "base/limits.hpp"
#include "base/seconds.hpp"
#include "group/call_check.hpp"
#include "group/group_id.hpp"
#include "group/pending_round.hpp"
#include "wire/group_messages.hpp"
#include "wire/round_messages.hpp"

namespace muster {
namespace {

using client::Caller;

/// After these the round is over and the group is in step.
bool leaves_group_usable(Code verdict) {
  return verdict == Code::rank_missing || verdict == Code::limit;
}

/// Value. Which group, and where in it this rank is.
struct Place {
  std::uint64_t group = wire::world_group;
  std::uint32_t rank = 0;
  std::uint32_t size = 0;
  std::vector<std::uint32_t> members;  ///< by rank, as ranks of the job; empty for the world
};

class ServerGroup : public Group, public StartsRounds {
 public:
  /// `opening`: the request to open it, if it is a subset, whose answer nobody has seen yet.
  ServerGroup(std::shared_ptr<Caller> caller, Place place,
              std::optional<client::Ticket> opening = {})
      : caller_(std::move(caller)), place_(std::move(place)), opening_(opening) {}
  ~ServerGroup() override;

  Identity identity() const override { return {caller_->session().incarnation, 0}; }
  TimePoint now() const override { return caller_->now(); }
  TimePoint resolve(Deadline deadline) const override {
    return deadline.resolve(now(), caller_->session().operation_timeout);
  }
  std::uint32_t rank() const override { return place_.rank; }
  std::uint32_t size() const override { return place_.size; }
  std::uint32_t rank_in_job(std::uint32_t rank) const override {
    MUSTER_ASSERT(rank < place_.size);
    return place_.members.empty() ? rank : place_.members[rank];
  }

  Result<std::unique_ptr<Group>> subset(std::span<const std::uint32_t> members,
                                        Deadline deadline) override;

  Result<Parts> arrive(const Call& call, Deadline deadline) override {
    const Result<Flight> flight = take_off(call, deadline);
    return flight ? land(*flight) : flight.error();
  }

  Result<std::unique_ptr<PendingRound>> start(const Call& call, Deadline deadline) override {
    const Result<Flight> flight = take_off(call, deadline);
    if (!flight) return flight.error();
    return std::unique_ptr<PendingRound>(std::make_unique<Pending>(*this, *flight));
  }

 private:
  /// Value. A round that this rank has arrived in.
  struct Flight {
    client::Ticket ticket = 0;
    Kind kind{};
    std::size_t parts = 0;  ///< of a good verdict
    TimePoint begun;
    TimePoint until;
  };
  class Pending final : public PendingRound {
   public:
    Pending(ServerGroup& group, const Flight& flight) : group_(group), flight_(flight) {}
    bool test() override { return group_.can_land(flight_); }
    Result<Parts> wait() override { return group_.land(flight_); }

   private:
    ServerGroup& group_;
    const Flight flight_;
  };

  Result<Flight> take_off(const Call& call, Deadline deadline);
  Result<Flight> send(const Call& call, Deadline deadline);
  bool can_land(const Flight& flight);
  Result<Parts> land(const Flight& flight);
  std::uint32_t job_rank() const { return caller_->session().rank; }
  Result<client::Reply> answer(client::Ticket ticket, TimePoint until);
  Result<Parts> hear(const Flight& flight);
  Result<Parts> verdict(const Flight& flight, client::Reply reply);
  Error break_off(Error why);
  Error give_up(Error why);

  const HomeProcess home_;
  std::shared_ptr<Caller> caller_;
  Place place_;
  std::mutex mutex_;
  std::map<std::vector<std::uint32_t>, std::uint64_t> made_;  ///< subsets so far, by their members
  std::atomic<bool> in_flight_ = false;
  // Touched only by the call in flight.
  std::optional<client::Ticket> opening_;
  std::uint64_t sequence_ = 0;   ///< of the last round that was started
  std::optional<Error> broken_;  ///< for good, and why
};

ServerGroup::~ServerGroup() {
  if (place_.group == wire::world_group) return;
  if (opening_) caller_->forget(*opening_);
  const wire::CloseGroup close{place_.group, {job_rank()}};
  const auto ticket = caller_->start(client::frame(wire::Type::close_group, close));
  if (ticket) caller_->forget(*ticket);  // a link that is down has closed all
}

Result<std::unique_ptr<Group>> ServerGroup::subset(std::span<const std::uint32_t> members,
                                                   Deadline) {
  if (auto good = check_members(members, rank(), size()); !good) return std::move(good).error();
  if (!home_.here()) return home_.error();
  const auto own = std::ranges::find(members, rank());
  Place place{.rank = static_cast<std::uint32_t>(own - members.begin()),
              .size = static_cast<std::uint32_t>(members.size())};
  for (const std::uint32_t member : members) place.members.push_back(rank_in_job(member));
  {
    const std::lock_guard lock(mutex_);
    const std::uint64_t count = made_[place.members]++;
    place.group = group_id(place_.group, identity().view, place.members, count);
  }
  const TimePoint begun = now();
  const auto opening = caller_->start(
      client::frame(wire::Type::open_group, wire::OpenGroup{place.group, place.members}));
  if (!opening) return client::located(opening.error(), *caller_, begun);
  std::unique_ptr<Group> subset =
      std::make_unique<ServerGroup>(caller_, std::move(place), *opening);
  return subset;
}

/// The verdict; or, before the first one, why there is no such group.
Result<client::Reply> ServerGroup::answer(client::Ticket ticket, TimePoint until) {
  if (opening_) {
    auto opened = caller_->wait(*std::exchange(opening_, std::nullopt), until);
    if (!opened || opened->failed) {
      caller_->forget(ticket);
      return opened;
    }
  }
  return caller_->wait(ticket, until);
}

Result<ServerGroup::Flight> ServerGroup::take_off(const Call& call, Deadline deadline) {
  if (auto good = check(call, rank(), size()); !good) return std::move(good).error();
  // In a forked child it would stay busy with what a thread of the parent is in.
  if (!home_.here()) return home_.error();
  if (in_flight_.exchange(true, std::memory_order_acquire)) {
    return Error{.code = Code::busy,
                 .what =
                     "another collective is in flight on this group; a group takes one at a "
                     "time"};
  }
  auto flight = send(call, deadline);
  if (!flight) in_flight_.store(false, std::memory_order_release);
  return flight;
}

Result<ServerGroup::Flight> ServerGroup::send(const Call& call, Deadline deadline) {
  if (broken_) return *broken_;
  Flight flight{.kind = call.kind, .parts = parts_expected(call, rank(), size()), .begun = now()};
  flight.until = deadline.resolve(flight.begun, caller_->session().operation_timeout);
  Value buffer;
  const wire::Arrive arrive{.group = place_.group,
                            .sequence = sequence_ + 1,
                            .kind = call.kind,
                            .root = call.root,
                            .left_ms = client::left_ms(flight.begun, flight.until),
                            .label = call.label,
                            .token = call.token,
                            .parts = {{job_rank(), joined(call, buffer)}}};
  const auto ticket = caller_->start(client::frame(wire::Type::arrive, arrive));
  if (!ticket) return client::located(ticket.error(), *caller_, flight.begun);
  ++sequence_;
  flight.ticket = *ticket;
  return flight;
}

bool ServerGroup::can_land(const Flight& flight) {
  if (now() >= client::with_grace(flight.begun, flight.until, limits::verdict_grace)) return true;
  return (!opening_ || caller_->test(*opening_)) && caller_->test(flight.ticket);
}

Result<Parts> ServerGroup::land(const Flight& flight) {
  auto parts = hear(flight);
  in_flight_.store(false, std::memory_order_release);
  return parts;
}

Result<Parts> ServerGroup::hear(const Flight& flight) {
  auto reply =
      answer(flight.ticket, client::with_grace(flight.begun, flight.until, limits::verdict_grace));
  if (reply) return verdict(flight, *std::move(reply));
  Error error = client::located(std::move(reply).error(), *caller_, flight.begun);
  if (error.code != Code::timeout) return break_off(std::move(error));
  // Others may have been told something by now: whoever does not know it must not go on.
  error.code = Code::server_lost;
  error.what = fmt::format(
      "the server gave no verdict on this {} by its deadline, nor in the {} s after it; this rank "
      "has closed its link and counts as lost",
      name(flight.kind), to_seconds(limits::verdict_grace));
  error.advice = "see whether the server's process is stopped or overloaded, or out of reach";
  return give_up(std::move(error));
}

Result<Parts> ServerGroup::verdict(const Flight& flight, client::Reply reply) {
  const bool failed = reply.failed;
  const bool no_group = reply.type == wire::Type::open_group;
  auto body = client::open_reply(std::move(reply), wire::Type::arrive);
  if (!body && failed) {
    Error error = client::located(std::move(body).error(), *caller_, flight.begun);
    const bool goes_on = leaves_group_usable(error.code) && !no_group;
    return goes_on ? error : break_off(std::move(error));
  }
  auto parts = body ? wire::decode_verdict(*std::move(body)) : std::nullopt;
  if (!parts || parts->size() != flight.parts) {
    Error error{.code = Code::protocol,
                .what = fmt::format("the server's verdict on this {} is malformed; this rank has "
                                    "closed its link and counts as lost",
                                    name(flight.kind)),
                .advice = "check that server and ranks run the same release"};
    return give_up(client::located(std::move(error), *caller_, flight.begun));
  }
  return *std::move(parts);
}

/// Every later call ends like this one, without a round.
Error ServerGroup::break_off(Error why) {
  broken_ = why;
  broken_->elapsed = {};
  return why;
}

/// The same, and the others are to see it: without a verdict this rank may not go on.
Error ServerGroup::give_up(Error why) {
  caller_->close(why);
  return break_off(std::move(why));
}

}  // namespace

std::unique_ptr<Group> make_world_group(std::shared_ptr<client::Caller> caller) {
  const client::Session& session = caller->session();
  MUSTER_ASSERT(session.rank < session.size);
  Place world{.rank = session.rank, .size = session.size};
  return std::make_unique<ServerGroup>(std::move(caller), std::move(world));
}

}  // namespace muster
