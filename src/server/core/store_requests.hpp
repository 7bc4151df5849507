/// \file
/// The requests to the store: the table, who waits for its keys, who watches them.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <muster/bytes.hpp>
#include <muster/deadline.hpp>

#include "server/core/outbox.hpp"
#include "server/core/roster.hpp"
#include "server/core/table.hpp"
#include "server/core/waits.hpp"
#include "server/core/watches.hpp"

namespace muster::server {

/// Resource. Every request is answered exactly once: at once, or, for one that waits, when its keys
/// are there, its time is over, an owner is gone, the job fails, or never because its link is gone.
/// Every change is told to those who watch its key, in the order of the changes.
class StoreRequests {
 public:
  explicit StoreRequests(std::size_t table_bytes_max) : table_(table_bytes_max), waits_(table_) {}

  void set(Bytes body, const ReplyTo& to, Outbox& out);
  /// For a link that speaks for `owner`, which is in the job.
  void set_owned(Bytes body, const ReplyTo& to, std::uint32_t owner, Outbox& out);
  void get(Bytes body, const ReplyTo& to, TimePoint now, Outbox& out);
  void add(Bytes body, const ReplyTo& to, Outbox& out);
  void append(Bytes body, const ReplyTo& to, Outbox& out);
  void compare_set(Bytes body, const ReplyTo& to, Outbox& out);
  void remove(Bytes body, const ReplyTo& to, Outbox& out);

  void wait(Bytes body, const ReplyTo& to, TimePoint now, Outbox& out);
  void multi_get(Bytes body, const ReplyTo& to, Outbox& out);
  void multi_set(Bytes body, const ReplyTo& to, Outbox& out);
  void list(Bytes body, const ReplyTo& to, Outbox& out);
  void watch(Bytes body, const ReplyTo& to, Outbox& out);
  void unwatch(Bytes body, const ReplyTo& to, Outbox& out);

  /// Tells those whose waits are over, as many as a step may tell.
  void tell(Outbox& out) { waits_.tell(out); }
  void expire(const Roster& roster, TimePoint now, Outbox& out) { waits_.expire(roster, now, out); }
  void fail_all(const SharedFailure& failure, Outbox& out) { waits_.fail_all(failure, out); }
  /// Ends the waits of one link.
  void fail_link(LinkId link, const SharedFailure& failure, Outbox& out) {
    waits_.fail_link(link, failure, out);
  }
  void drop_link(LinkId link);
  /// These ranks left, failed or are lost, says `code`, and the keys they own go with them.
  void depart(const Ranks& ranks, Code code, const Roster& roster, Outbox& out);

  const Table& table() const { return table_; }
  const Waits& waits() const { return waits_; }
  const Watches& watches() const { return watches_; }

 private:
  /// `key` has been given a value; `was_there`: it had one before.
  void changed(std::string_view key, bool was_there, Outbox& out);
  /// Whether the key has a value, as far as that is news to somebody: without anyone who waits it
  /// is not looked up, which would cost a SET a quarter of its time.
  bool there(std::string_view key) const {
    return waits_.size() == 0 || table_.find(key) != nullptr;
  }

  Table table_;
  Waits waits_;
  Watches watches_;
};

}  // namespace muster::server
