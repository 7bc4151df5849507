/// \file
/// Writes answers, notices and log lines as actions.
#pragma once

#include <set>
#include <string>
#include <utility>

#include <muster/bytes.hpp>
#include <muster/log.hpp>
#include <muster/result.hpp>
#include <muster/roster.hpp>

#include "server/core/actions.hpp"
#include "wire/frame.hpp"

namespace muster::server {

/// Value. Which request an answer belongs to; with sequence 0, a notice.
struct ReplyTo {
  LinkId link = 0;
  wire::Type type{};
  std::uint32_t sequence = 0;
  bool version0 = false;  ///< it came as version 0, and is answered so
};

/// Value. A failure encoded once, for all who get it.
struct SharedFailure {
  Code code = Code::system;
  Shared body;
};
SharedFailure share(const Failure& failure);

/// The same failure, seen by the one who caused it and by those who suffer it.
Failure to_failure(Error error);

/// Value, made anew for each step. Answers small enough are written into Actions::bytes, what is
/// shared stays where it is. What goes to one link in a row is one Send.
class Outbox {
 public:
  explicit Outbox(Actions& actions) : actions_(actions) {}

  void empty(const ReplyTo& to);
  /// `body` is copied.
  void body(const ReplyTo& to, Bytes body);
  void shared(const ReplyTo& to, const Shared& body) { tailed(to, 0, body); }
  /// A body that `write(Value&)` begins and `tail` ends, if there is one.
  template <class Write>
  void headed(const ReplyTo& to, Write&& write, const Shared& tail) {
    const std::size_t begun = wire::begin_frame(actions_.bytes);
    write(actions_.bytes);
    finish(to, 0, begun, tail);
  }
  /// A body that `write(Value&)` appends.
  template <class Write>
  void written(const ReplyTo& to, Write&& write) {
    headed(to, std::forward<Write>(write), nullptr);
  }
  void fail(const ReplyTo& to, const Failure& failure);
  void fail(const ReplyTo& to, Error error) { fail(to, to_failure(std::move(error))); }
  void fail(const ReplyTo& to, Code code, std::string reason);
  void fail(const ReplyTo& to, const SharedFailure& failure);
  /// `protocol`, saying which message could not be read.
  void malformed(const ReplyTo& to, std::size_t body_bytes);

  /// A sign of life, the same bytes for all.
  void beat(const std::set<LinkId>& links);
  /// Bytes that are no frame: a hello.
  void raw(LinkId link, Bytes bytes);
  void close(LinkId link) { actions_.list.emplace_back(Close{link}); }
  void log(LogLevel level, std::string line) {
    actions_.list.emplace_back(Log{level, std::move(line)});
  }
  /// What a step does beside what it sends, in units of one wait looked at.
  void spend(std::size_t units) { work_ += units; }
  /// Whether this step has done enough, and is to leave for another what can wait, so that nobody
  /// keeps others waiting: a unit for each message, each 256 bytes sent, and what was spent.
  bool enough() const { return work_ >= enough_; }
  /// What was done so far does not count.
  void begin_anew() { enough_ = work_ + step_work_max; }
  /// See Actions::untaken.
  void leave(std::size_t bytes) { actions_.untaken = bytes; }
  void event(Action action) { actions_.list.push_back(std::move(action)); }

 private:
  /// Some thousand small requests, or a MiB of answers.
  static constexpr std::size_t step_work_max = 4096;

  void tailed(const ReplyTo& to, std::int16_t result, const Shared& body);
  /// The frame begun at `begun` ends with `tail`. Where an answer becomes one of version 0, if its
  /// request was.
  void finish(const ReplyTo& to, std::int16_t result, std::size_t begun, const Shared& tail);
  /// What was appended to the bytes since `begun` goes to `link`.
  void sent(LinkId link, std::size_t begun, Shared tail = nullptr);

  Actions& actions_;
  std::size_t work_ = 0;
  std::size_t enough_ = step_work_max;
};

}  // namespace muster::server
