#include "client/core/rank_calls.hpp"

#include "wire/notices.hpp"

namespace muster::client {

Result<void> wait_for_all(Caller& caller, TimePoint deadline) {
  const TimePoint begun = caller.now();
  Result<Reply> reply = caller.wait(muster_ticket, with_grace(begun, deadline));
  if (!reply) return located(std::move(reply).error(), caller, begun, Phase::muster);
  if (!reply->failed) return {};
  const auto failure = wire::decode_failure(reply->body);
  return located(wire::to_error(failure.value_or(Failure{.code = reply->code}), Phase::muster),
                 caller, begun, Phase::muster);
}

Result<void> fail_job(Caller& caller, std::string_view reason, int exit_code, TimePoint deadline) {
  const wire::FailRequest request{.exit_code = exit_code, .reason = reason};
  auto answer = call(caller, frame(wire::Type::fail, request), deadline);
  if (!answer) return std::move(answer).error();
  return {};
}

Result<void> say_goodbye(Caller& caller, TimePoint deadline) {
  const TimePoint begun = caller.now();
  const wire::LeaveRequest request{.wait_ms = left_ms(begun, deadline)};
  const Result<Ticket> ticket = caller.start(frame(wire::Type::leave, request));
  if (!ticket) return {};
  Result<Reply> reply = caller.wait(*ticket, with_grace(begun, deadline));
  // Whatever the last words of a server were that is gone.
  if (!reply && reply.error().code != Code::timeout) return {};
  const Result<Value> answer = reply ? open_reply(*std::move(reply), wire::Type::leave)
                                     : Result<Value>(std::move(reply).error());
  if (answer) return {};
  return located(answer.error(), caller, begun, Phase::leave);
}

}  // namespace muster::client
