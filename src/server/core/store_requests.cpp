#include "server/core/store_requests.hpp"

#include <fmt/format.h>

#include "base/limits.hpp"
#include "base/text.hpp"
#include "server/core/reserve.hpp"
#include "server/core/wording.hpp"
#include "wire/cursor.hpp"
#include "wire/store_messages.hpp"

namespace muster::server {

void StoreRequests::set(Bytes body, const ReplyTo& to, Outbox& out) {
  const auto request = wire::decode_set(body);
  if (!request) return out.malformed(to, body.size());
  if (auto done = table_.set(request->key, request->value); !done.ok()) {
    return out.fail(to, std::move(done).error());
  }
  out.empty(to);
  wake(request->key, out);
}

void StoreRequests::get(Bytes body, const ReplyTo& to, TimePoint now, Outbox& out) {
  const auto request = wire::decode_get(body);
  if (!request) return out.malformed(to, body.size());
  auto found = table_.get(request->key);
  if (!found.ok()) return out.fail(to, std::move(found).error());
  if (const Stored* value = *found) return answer(*value, to, out);
  if (request->wait_ms == 0) {
    return out.fail(to, Code::not_found, fmt::format("there is no key {}", quoted(request->key)));
  }
  if (waiters_.count_of(to.link) >= limits::waits_a_link_max) {
    return out.fail(to, Code::limit,
                    fmt::format("a link waits for at most {} keys", limits::waits_a_link_max));
  }
  waiters_.add({to, std::string(request->key), now, answer_by(now, request->wait_ms)});
}

void StoreRequests::add(Bytes body, const ReplyTo& to, Outbox& out) {
  const auto request = wire::decode_add(body);
  if (!request) return out.malformed(to, body.size());
  auto sum = table_.add(request->key, request->delta);
  if (!sum.ok()) return out.fail(to, std::move(sum).error());
  out.written(to, [&](Value& answer) { wire::Writer(answer).i64(*sum); });
  wake(request->key, out);
}

void StoreRequests::remove(Bytes body, const ReplyTo& to, Outbox& out) {
  const auto request = wire::decode_remove(body);
  if (!request) return out.malformed(to, body.size());
  auto removed = table_.remove(request->key);
  if (!removed.ok()) return out.fail(to, std::move(removed).error());
  out.written(to, [&](Value& answer) { wire::Writer(answer).boolean(*removed); });
}

void StoreRequests::expire(const Roster& roster, TimePoint now, Outbox& out) {
  const std::vector<Waiter> due = waiters_.take_due(now);
  if (due.empty()) return;
  const std::string presence = roster.presence();
  const std::vector<RankName> absent = roster.names(roster.all(State::absent));
  for (const Waiter& waiter : due) {
    out.fail(
        waiter.to,
        Failure{.code = Code::timeout,
                .reason = fmt::format("nobody set key {} within {}; {}", quoted(waiter.key),
                                      seconds_text(now - waiter.since), presence),
                .advice = "see whether the rank that sets the key got that far, or wait longer",
                .who = absent});
  }
}

void StoreRequests::fail_all(const SharedFailure& failure, Outbox& out) {
  for (const Waiter& waiter : waiters_.take_all()) out.fail(waiter.to, failure);
}

void StoreRequests::wake(std::string_view key, Outbox& out) {
  if (waiters_.size() == 0) return;
  const std::vector<Waiter> woken = waiters_.take_key(key);
  if (woken.empty()) return;
  const Stored& value = **table_.get(key);
  for (const Waiter& waiter : woken) answer(value, waiter.to, out);
}

void StoreRequests::answer(const Stored& value, const ReplyTo& to, Outbox& out) {
  if (value.shared()) {
    out.shared(to, value.shared());
  } else {
    out.body(to, value.bytes());
  }
}

}  // namespace muster::server
