#include "server/core/waits.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "base/limits.hpp"
#include "base/text.hpp"
#include "server/core/wording.hpp"

namespace muster::server {
namespace {

Failure gone(std::string_view key, const Departure& departure) {
  return {.code = departure.code,
          .reason =
              fmt::format("key {} went with its owner: {}", quoted(key), departure_text(departure)),
          .advice = "do without that rank, or have another one set the key",
          .who = {departure.who}};
}

/// `value` is that of its one key, if it wants that.
void answer(const Waiter& waiter, const Stored* value, Outbox& out) {
  waiter.wants_value ? answer_value(*value, waiter.to, out) : out.empty(waiter.to);
}

}  // namespace

void Waits::wait(Waiter waiter, Outbox& out) {
  std::ranges::sort(waiter.keys);
  waiter.keys.erase(std::unique(waiter.keys.begin(), waiter.keys.end()), waiter.keys.end());

  const std::vector<std::string> absent = missing(waiter);
  if (absent.empty()) {
    return answer(waiter, waiter.wants_value ? table_.find(waiter.keys.front()) : nullptr, out);
  }
  for (const std::string& key : absent) {
    if (const Departure* departure = table_.departure(key)) {
      return out.fail(waiter.to, gone(key, *departure));
    }
  }
  if (waiters_.keys_of(waiter.to.link) + waiter.keys.size() > limits::waits_a_link_max) {
    return out.fail(waiter.to, Code::limit,
                    fmt::format("a link waits for at most {} keys", limits::waits_a_link_max));
  }
  waiters_.add(std::move(waiter), absent.size());
}

void Waits::appeared(std::string_view key, Outbox& out) {
  if (waiters_.size() == 0) return;
  out.spend(waiters_.looked_at(key));
  Waiters::Ids ids = waiters_.wake(key);
  if (ids.empty()) return;
  woken_.push_back({std::move(ids), *table_.find(key)});
  tell(out);
}

void Waits::tell(Outbox& out) {
  while (telling() && !out.enough()) tell_one(out);
}

void Waits::tell_all(Outbox& out) {
  while (telling()) tell_one(out);
}

void Waits::tell_one(Outbox& out) {
  auto& [ids, value] = woken_.front();
  out.spend(1);
  if (const auto waiter = waiters_.take_woken(*ids.begin())) answer(*waiter, &value, out);
  ids.erase(ids.begin());
  if (ids.empty()) woken_.pop_front();
}

void Waits::vanished(std::string_view key, Outbox& out) {
  if (waiters_.size() == 0) return;
  out.spend(waiters_.looked_at(key));
  waiters_.vanished(key);
}

void Waits::departed(std::string_view key, const Departure& departure, Outbox& out) {
  const std::vector<Waiter> ended = waiters_.take_key(key);
  if (ended.empty()) return;
  const SharedFailure failure = share(gone(key, departure));
  for (const Waiter& waiter : ended) out.fail(waiter.to, failure);
}

void Waits::expire(const Roster& roster, TimePoint now, Outbox& out) {
  const std::vector<Waiter> due = waiters_.take_due(now);
  if (due.empty()) return;
  const std::string presence = roster.presence();
  const std::vector<RankName> absent = roster.names(roster.all(State::absent));
  for (const Waiter& waiter : due) {
    out.fail(
        waiter.to,
        Failure{.code = Code::timeout,
                .reason = fmt::format("nobody set {} within {}; {}", keys_text(missing(waiter)),
                                      seconds_text(now - waiter.since), presence),
                .advice = "see whether the rank that sets the key got that far, or wait longer",
                .who = absent});
  }
}

void Waits::fail_all(const SharedFailure& failure, Outbox& out) {
  tell_all(out);
  for (const Waiter& waiter : waiters_.take_all()) out.fail(waiter.to, failure);
}

void Waits::fail_link(LinkId link, const SharedFailure& failure, Outbox& out) {
  tell_all(out);
  for (const Waiter& waiter : waiters_.take_link(link)) out.fail(waiter.to, failure);
}

std::string Waits::waiting_in(LinkId link) const {
  const Waiter* waiter = waiters_.first_of(link);
  if (waiter == nullptr) return {};
  const std::vector<std::string> absent = missing(*waiter);
  if (absent.empty()) return {};  // it is woken
  if (waiter->wants_value) return "get " + quoted(waiter->keys.front());
  return "wait for " + keys_text(absent);
}

std::vector<std::string> Waits::missing(const Waiter& waiter) const {
  std::vector<std::string> keys;
  std::ranges::copy_if(waiter.keys, std::back_inserter(keys),
                       [&](const std::string& key) { return table_.find(key) == nullptr; });
  return keys;
}

void answer_value(const Stored& value, const ReplyTo& to, Outbox& out) {
  if (const Shared shared = value.shared()) {
    out.shared(to, shared);
  } else {
    out.body(to, value.bytes());
  }
}

}  // namespace muster::server
