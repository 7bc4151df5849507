/// \file
/// For tests: a Caller whose answers are written down beforehand, on a clock that moves only by
/// waiting.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "base/assert.hpp"
#include "client/core/caller.hpp"
#include "wire/notices.hpp"

namespace muster::client {

/// Resource; one thread, but for what `while_waiting` does.
class ScriptedCaller : public Caller {
 public:
  struct Sent {
    wire::Type type{};
    Value body;
  };

  ScriptedCaller() {
    session_.job = "job1";
    session_.rank = 0;
    session_.size = 2;
    session_.server = {0, "n0", 17, ""};
    session_.local = "here";
    session_.remote = "there";
  }

  /// The next request without a script gets `body`, `after` its start.
  void answer(Value body, Duration after = {}) { script_.push_back({after, {}, std::move(body)}); }
  void refuse(const Failure& failure, Duration after = {}) {
    Value body;
    wire::encode(failure, body);
    script_.push_back({after, failure.code, std::move(body)});
  }
  /// The next request without a script gets no answer.
  void keep_silent() { script_.push_back({std::nullopt, {}, {}}); }

  const Session& session() const override { return session_; }
  TimePoint now() const override { return now_ += tick; }

  Result<Ticket> start(Value frame) override {
    if (down) return *down;
    MUSTER_ASSERT(!script_.empty());  // a request that the test did not expect
    wire::FrameHeader header;
    MUSTER_ASSERT(wire::get_header(frame.data(), header));
    sent.push_back({header.type, {frame.begin() + wire::header_bytes, frame.end()}});
    const Ticket ticket = ++last_;
    flying_[ticket] = {now_, header.type, std::move(script_.front())};
    script_.pop_front();
    return ticket;
  }

  Result<Ticket> start_watch(Value frame, OnPush on_push) override {
    const Result<Ticket> ticket = start(std::move(frame));
    if (ticket) watches[*ticket] = std::move(on_push);
    return ticket;
  }
  void end_watch(Ticket ticket) override { watches.erase(ticket); }

  bool test(Ticket ticket) override { return due(ticket) <= now_; }

  Result<Reply> wait(Ticket ticket, TimePoint deadline) override {
    if (while_waiting) while_waiting();
    const TimePoint done = due(ticket);
    const Flying flying = std::move(flying_.extract(ticket).mapped());
    waited_until = deadline;
    if (down) return *down;
    if (done > std::max(deadline, now_)) {
      now_ = std::max(deadline, now_);
      return Error{.code = Code::timeout, .what = "no answer before the deadline"};
    }
    now_ = std::max(done, now_);
    const bool failed = flying.answer.code != Code{};
    return Reply{flying.type, flying.answer.code, failed, flying.answer.body};
  }

  void forget(Ticket ticket) override { flying_.erase(ticket); }
  void close(const Error& why) override { down = why; }

  Session session_;
  std::vector<Sent> sent;
  std::map<Ticket, OnPush> watches;
  std::optional<Error> down;  ///< set by close(), too
  std::function<void()> while_waiting;
  TimePoint waited_until{};  ///< the deadline of the last wait
  Duration tick{};           ///< so much later is each look at the clock, as with a real one

 private:
  struct Answer {
    std::optional<Duration> after;  ///< none: never
    Code code{};
    Value body;
  };
  struct Flying {
    TimePoint started;
    wire::Type type{};
    Answer answer;
  };

  TimePoint due(Ticket ticket) const {
    const Flying& flying = flying_.at(ticket);
    return flying.answer.after ? flying.started + *flying.answer.after : TimePoint::max();
  }

  mutable TimePoint now_{std::chrono::hours{1000}};
  std::deque<Answer> script_;
  std::map<Ticket, Flying> flying_;
  Ticket last_ = muster_ticket;
};

}  // namespace muster::client
