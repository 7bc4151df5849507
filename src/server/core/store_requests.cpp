#include "server/core/store_requests.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "server/core/reserve.hpp"
#include "server/core/wording.hpp"
#include "wire/cursor.hpp"
#include "wire/store_messages.hpp"

namespace muster::server {
namespace {

Failure not_found(std::string_view key, const Departure* departure) {
  if (departure == nullptr) {
    return {.code = Code::not_found, .reason = fmt::format("there is no key {}", quoted(key))};
  }
  return {.code = Code::not_found,
          .reason = fmt::format("there is no key {} any more, it went with its owner: {}",
                                quoted(key), departure_text(*departure)),
          .who = {departure->who}};
}

}  // namespace

void StoreRequests::set(Bytes body, const ReplyTo& to, Outbox& out) {
  const auto request = wire::decode_set(body);
  if (!request) return out.malformed(to, body.size());
  const bool was_there = there(request->key);
  if (auto done = table_.set(request->key, request->value); !done.ok()) {
    return out.fail(to, std::move(done).error());
  }
  out.empty(to);
  changed(request->key, was_there, out);
}

void StoreRequests::set_owned(Bytes body, const ReplyTo& to, std::uint32_t owner, Outbox& out) {
  const auto request = wire::decode_set(body);
  if (!request) return out.malformed(to, body.size());
  const bool was_there = there(request->key);
  if (auto done = table_.set_owned(request->key, request->value, owner); !done.ok()) {
    return out.fail(to, std::move(done).error());
  }
  out.empty(to);
  changed(request->key, was_there, out);
}

void StoreRequests::get(Bytes body, const ReplyTo& to, TimePoint now, Outbox& out) {
  const auto request = wire::decode_get(body);
  if (!request) return out.malformed(to, body.size());
  auto found = table_.get(request->key);
  if (!found.ok()) return out.fail(to, std::move(found).error());
  if (const Stored* value = *found) return answer_value(*value, to, out);
  if (request->wait_ms == 0) {
    return out.fail(to, not_found(request->key, table_.departure(request->key)));
  }
  waits_.wait({to, {std::string(request->key)}, now, answer_by(now, request->wait_ms)}, out);
}

void StoreRequests::add(Bytes body, const ReplyTo& to, Outbox& out) {
  const auto request = wire::decode_add(body);
  if (!request) return out.malformed(to, body.size());
  const bool was_there = there(request->key);
  auto sum = table_.add(request->key, request->delta);
  if (!sum.ok()) return out.fail(to, std::move(sum).error());
  out.written(to, [&](Value& answer) { wire::Writer(answer).i64(*sum); });
  changed(request->key, was_there, out);
}

void StoreRequests::append(Bytes body, const ReplyTo& to, Outbox& out) {
  const auto request = wire::decode_append(body);
  if (!request) return out.malformed(to, body.size());
  const bool was_there = there(request->key);
  auto length = table_.append(request->key, request->value);
  if (!length.ok()) return out.fail(to, std::move(length).error());
  out.written(to, [&](Value& answer) { wire::Writer(answer).u64(*length); });
  changed(request->key, was_there, out);
}

void StoreRequests::compare_set(Bytes body, const ReplyTo& to, Outbox& out) {
  const auto request = wire::decode_compare_set(body);
  if (!request) return out.malformed(to, body.size());
  auto done = table_.compare_set(request->key, request->expected, request->desired);
  if (!done.ok()) return out.fail(to, std::move(done).error());
  const bool was_there = done->before.has_value();
  const Shared tail = was_there ? done->before->shared() : nullptr;
  wire::CompareSetAnswer answer{done->swapped, std::nullopt};
  if (was_there) answer.before = tail ? Bytes{} : done->before->bytes();
  out.headed(
      to, [&](Value& head) { encode(answer, head); }, tail);
  if (done->swapped) changed(request->key, was_there, out);
}

void StoreRequests::remove(Bytes body, const ReplyTo& to, Outbox& out) {
  const auto request = wire::decode_remove(body);
  if (!request) return out.malformed(to, body.size());
  auto removed = table_.remove(request->key);
  if (!removed.ok()) return out.fail(to, std::move(removed).error());
  out.written(to, [&](Value& answer) { wire::Writer(answer).boolean(*removed); });
  if (!*removed) return;
  waits_.vanished(request->key, out);
  watches_.tell(request->key, nullptr, out);
}

void StoreRequests::drop_link(LinkId link) {
  waits_.drop_link(link);
  watches_.drop_link(link);
}

void StoreRequests::depart(const Ranks& ranks, Code code, const Roster& roster, Outbox& out) {
  for (const std::uint32_t rank : ranks) {
    const std::vector<std::string> keys = table_.owned_by(rank);
    if (keys.empty()) continue;
    const auto departure = std::make_shared<const Departure>(Departure{code, roster.name(rank)});
    for (const std::string& key : keys) {
      table_.depart(key, departure);
      watches_.tell(key, nullptr, out);
      waits_.departed(key, *departure, out);
    }
  }
}

void StoreRequests::changed(std::string_view key, bool was_there, Outbox& out) {
  if (watches_.size() != 0) watches_.tell(key, table_.find(key), out);
  if (!was_there) waits_.appeared(key, out);
}

}  // namespace muster::server
