#include "group/server_group.hpp"

#include <atomic>
#include <fmt/format.h>
#include <optional>
#include <string>
#include <utility>

#include "base/assert.hpp"
#include "base/limits.hpp"
#include "group/call_check.hpp"
#include "wire/round_messages.hpp"

namespace muster {
namespace {

using client::Caller;

/// What this rank brings, as one value: a scatter's payloads in the form of a verdict's parts.
Bytes joined(const Call& call, Value& buffer) {
  if (call.payloads.empty()) return call.payload;
  wire::encode_verdict(call.payloads, buffer);
  return buffer;
}

/// After these the round is over and the group is in step.
bool leaves_group_usable(Code verdict) {
  return verdict == Code::rank_missing || verdict == Code::limit;
}

class ServerGroup : public Group {
 public:
  explicit ServerGroup(std::shared_ptr<Caller> caller) : caller_(std::move(caller)) {}

  Identity identity() const override { return {caller_->session().incarnation, 0}; }
  TimePoint now() const override { return caller_->now(); }
  TimePoint resolve(Deadline deadline) const override {
    return deadline.resolve(now(), caller_->session().operation_timeout);
  }
  std::uint32_t rank() const override { return caller_->session().rank; }
  std::uint32_t size() const override { return caller_->session().size; }

  Result<Parts> arrive(const Call& call, Deadline deadline) override {
    if (auto good = check(call, rank(), size()); !good) return std::move(good).error();
    if (in_flight_.exchange(true, std::memory_order_acquire)) {
      return Error{.code = Code::busy,
                   .what =
                       "another collective is in flight on this group; a group takes one at a "
                       "time"};
    }
    auto parts = take_part(call, deadline);
    in_flight_.store(false, std::memory_order_release);
    return parts;
  }

 private:
  Result<Parts> take_part(const Call& call, Deadline deadline);
  Result<Parts> verdict(const Call& call, client::Reply reply, TimePoint begun);
  Error break_off(Error why);
  Error give_up(Error why);

  std::shared_ptr<Caller> caller_;
  std::atomic<bool> in_flight_ = false;
  // Touched only by the call in flight.
  std::uint64_t sequence_ = 0;   ///< of the last round that was started
  std::optional<Error> broken_;  ///< for good, and why
};

Result<Parts> ServerGroup::take_part(const Call& call, Deadline deadline) {
  if (broken_) return *broken_;
  const TimePoint begun = now();
  const TimePoint until = deadline.resolve(begun, caller_->session().operation_timeout);
  Value buffer;
  const wire::Arrive arrive{.sequence = sequence_ + 1,
                            .kind = call.kind,
                            .root = call.root,
                            .left_ms = client::left_ms(begun, until),
                            .label = call.label,
                            .token = call.token,
                            .parts = {{rank(), joined(call, buffer)}}};
  const auto ticket = caller_->start(client::frame(wire::Type::arrive, arrive));
  if (!ticket) return client::located(ticket.error(), *caller_, begun);
  ++sequence_;
  auto reply = caller_->wait(*ticket, client::with_grace(begun, until));
  if (reply) return verdict(call, *std::move(reply), begun);
  Error error = client::located(std::move(reply).error(), *caller_, begun);
  if (error.code != Code::timeout) return break_off(std::move(error));
  // Others may have been told something by now: whoever does not know it must not go on.
  error.code = Code::server_lost;
  error.what = fmt::format(
      "the server gave no verdict on this {} by its deadline, nor in the {} ms after it; this rank "
      "has closed its link and counts as lost",
      name(call.kind), std::chrono::milliseconds{limits::verdict_grace}.count());
  error.advice = "see whether the server's process is stopped or overloaded, or out of reach";
  return give_up(std::move(error));
}

Result<Parts> ServerGroup::verdict(const Call& call, client::Reply reply, TimePoint begun) {
  const bool failed = reply.failed;
  auto body = client::open_reply(std::move(reply), wire::Type::arrive);
  if (!body && failed) {
    Error error = client::located(std::move(body).error(), *caller_, begun);
    return leaves_group_usable(error.code) ? error : break_off(std::move(error));
  }
  auto parts = body ? wire::decode_verdict(*std::move(body)) : std::nullopt;
  if (!parts || parts->size() != parts_expected(call, rank(), size())) {
    Error error{.code = Code::protocol,
                .what = fmt::format("the server's verdict on this {} is malformed; this rank has "
                                    "closed its link and counts as lost",
                                    name(call.kind)),
                .advice = "check that server and ranks run the same release"};
    return give_up(client::located(std::move(error), *caller_, begun));
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
  MUSTER_ASSERT(caller->session().rank < caller->session().size);
  return std::make_unique<ServerGroup>(std::move(caller));
}

}  // namespace muster
