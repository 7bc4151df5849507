#include "client/core/caller.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/limits.hpp"
#include "wire/notices.hpp"

namespace muster::client {
namespace {

Error wrong_answer(const char* what) {
  return Error{.code = Code::protocol,
               .what = what,
               .advice = "check that server and ranks run the same release"};
}

Result<Value> ask(Caller& caller, Value frame, TimePoint deadline) {
  wire::FrameHeader header;
  wire::get_header(frame.data(), header);
  const Result<Ticket> ticket = caller.start(std::move(frame));
  if (!ticket) return ticket.error();
  Result<Reply> reply = caller.wait(*ticket, deadline);
  if (!reply) return std::move(reply).error();
  return open_reply(*std::move(reply), header.type);
}

}  // namespace

Result<Value> call(Caller& caller, Value frame, TimePoint deadline, Phase phase) {
  const TimePoint begun = caller.now();
  Result<Value> answer = ask(caller, std::move(frame), deadline);
  if (!answer) return located(std::move(answer).error(), caller, begun, phase);
  return answer;
}

Result<Ticket> call_watch(Caller& caller, Value frame, OnPush on_push, TimePoint deadline) {
  const TimePoint begun = caller.now();
  wire::FrameHeader header;
  wire::get_header(frame.data(), header);
  const Result<Ticket> ticket = caller.start_watch(std::move(frame), std::move(on_push));
  if (!ticket) return located(ticket.error(), caller, begun);
  Result<Reply> reply = caller.wait(*ticket, deadline);
  Result<Value> answer =
      reply ? open_reply(*std::move(reply), header.type) : Result<Value>(std::move(reply).error());
  if (answer) return *ticket;
  caller.end_watch(*ticket);
  return located(std::move(answer).error(), caller, begun);
}

Result<Value> open_reply(Reply reply, wire::Type type) {
  if (reply.failed) {
    const auto failure = wire::decode_failure(reply.body);
    if (!failure) return wrong_answer("the server's reason for a failure is malformed");
    return wire::to_error(*failure, Phase::operation);
  }
  if (reply.type != type) return wrong_answer("the server answered another question");
  return std::move(reply.body);
}

Error located(Error error, const Caller& caller, TimePoint begun, Phase phase) {
  error.phase = phase;
  error.elapsed = caller.now() - begun;
  error.local = caller.session().local;
  error.remote = caller.session().remote;
  return error;
}

std::uint32_t left_ms(TimePoint now, TimePoint deadline) {
  using std::chrono::milliseconds;
  constexpr milliseconds most{limits::wait_max};
  if (deadline <= now) return 0;
  if (deadline >= now + most) return static_cast<std::uint32_t>(most.count());
  return static_cast<std::uint32_t>(std::chrono::ceil<milliseconds>(deadline - now).count());
}

TimePoint with_grace(TimePoint now, TimePoint deadline, Duration grace) {
  if (deadline >= TimePoint::max() - grace) return TimePoint::max();
  return std::max(now, deadline) + grace;
}

}  // namespace muster::client
