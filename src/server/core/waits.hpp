/// \file
/// What those who wait for keys are told, and when.
#pragma once

#include <deque>
#include <string>
#include <string_view>

#include <muster/deadline.hpp>

#include "server/core/outbox.hpp"
#include "server/core/roster.hpp"
#include "server/core/stored.hpp"
#include "server/core/table.hpp"
#include "server/core/waiters.hpp"

namespace muster::server {

/// Resource. Told of each key that appears or goes, after the table has changed.
class Waits {
 public:
  /// `table` outlives it.
  explicit Waits(const Table& table) : table_(table) {}

  /// Answers at once if all keys are there, one went with its owner, or the link waits for too many
  /// already. The keys are good.
  void wait(Waiter waiter, Outbox& out);

  /// Wakes who misses nothing more. They are told at once, as many as a step may tell; the others
  /// by tell(), before anybody who is woken later. Each hears the value of this moment.
  void appeared(std::string_view key, Outbox& out);
  void vanished(std::string_view key, Outbox& out);
  /// `key` went with its owner: all that wait for it, among others, hear of that.
  void departed(std::string_view key, const Departure& departure, Outbox& out);

  /// Tells those who were woken, as many as a step may tell.
  void tell(Outbox& out);
  /// Whether some are woken and not told yet.
  bool telling() const { return !woken_.empty(); }

  /// Ends the waits that are due. `roster` says who might not have come to set the keys.
  void expire(const Roster& roster, TimePoint now, Outbox& out);
  /// Who was woken before is told first, here and in fail_link().
  void fail_all(const SharedFailure& failure, Outbox& out);
  void fail_link(LinkId link, const SharedFailure& failure, Outbox& out);
  void drop_link(LinkId link) { waiters_.drop_link(link); }

  /// "get 'addr/3'", "wait for keys 'a', 'b'", or empty: the longest wait of the link.
  std::string waiting_in(LinkId link) const;
  std::optional<TimePoint> next_deadline() const { return waiters_.next_deadline(); }
  std::size_t size() const { return waiters_.size(); }

 private:
  /// Those whom one change has woken, and the value that it gave.
  struct Woken {
    Waiters::Ids ids;
    Stored value;
  };

  std::vector<std::string> missing(const Waiter& waiter) const;
  void tell_one(Outbox& out);
  void tell_all(Outbox& out);

  const Table& table_;
  Waiters waiters_;
  std::deque<Woken> woken_;
};

/// A value as the whole body of an answer.
void answer_value(const Stored& value, const ReplyTo& to, Outbox& out);

}  // namespace muster::server
