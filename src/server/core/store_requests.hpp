/// \file
/// SET, GET, ADD and REMOVE: the table, and who waits for its keys.
#pragma once

#include <optional>
#include <string_view>

#include <muster/bytes.hpp>
#include <muster/deadline.hpp>

#include "server/core/outbox.hpp"
#include "server/core/roster.hpp"
#include "server/core/table.hpp"
#include "server/core/waiters.hpp"

namespace muster::server {

/// Resource. Every request is answered exactly once: at once, or, for a GET that waits, when its
/// key appears, its time is over, the job fails, or never because its link is gone.
class StoreRequests {
 public:
  explicit StoreRequests(std::size_t table_bytes_max) : table_(table_bytes_max) {}

  void set(Bytes body, const ReplyTo& to, Outbox& out);
  void get(Bytes body, const ReplyTo& to, TimePoint now, Outbox& out);
  void add(Bytes body, const ReplyTo& to, Outbox& out);
  void remove(Bytes body, const ReplyTo& to, Outbox& out);

  /// Ends the waits that are due. `roster` says who might not have come to set the key.
  void expire(const Roster& roster, TimePoint now, Outbox& out);
  void fail_all(const SharedFailure& failure, Outbox& out);
  void drop_link(LinkId link) { waiters_.drop_link(link); }

  const Table& table() const { return table_; }
  const Waiters& waiters() const { return waiters_; }

 private:
  void wake(std::string_view key, Outbox& out);
  void answer(const Stored& value, const ReplyTo& to, Outbox& out);

  Table table_;
  Waiters waiters_;
};

}  // namespace muster::server
