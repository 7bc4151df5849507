// The requests to the store that speak of several keys.
#include <fmt/format.h>

#include "base/limits.hpp"
#include "server/core/reserve.hpp"
#include "server/core/store_requests.hpp"
#include "server/core/wording.hpp"
#include "wire/many_messages.hpp"
#include "wire/prefix_messages.hpp"
#include "wire/store_limits.hpp"

namespace muster::server {

void StoreRequests::wait(Bytes body, const ReplyTo& to, TimePoint now, Outbox& out) {
  const auto request = wire::decode_wait(body);
  if (!request) return out.malformed(to, body.size());
  if (auto good = wire::check_keys(request->keys); !good.ok()) {
    return out.fail(to, std::move(good).error());
  }
  Waiter waiter{to, {}, now, answer_by(now, request->wait_ms), /*value*/ false};
  waiter.keys.assign(request->keys.begin(), request->keys.end());
  waits_.wait(std::move(waiter), out);
}

void StoreRequests::multi_get(Bytes body, const ReplyTo& to, Outbox& out) {
  const auto request = wire::decode_multi_get(body);
  if (!request) return out.malformed(to, body.size());
  auto values = table_.get_all(request->keys);
  if (!values.ok()) return out.fail(to, std::move(values).error());
  wire::MultiGetAnswer answer;
  for (const Stored* value : *values) {
    answer.values.push_back(value == nullptr ? std::nullopt : std::optional(value->bytes()));
  }
  Value written;  // of its own: an answer may be large, and the buffer of all stays as it grew
  encode(answer, written);
  out.shared(to, std::make_shared<const Value>(std::move(written)));
}

void StoreRequests::multi_set(Bytes body, const ReplyTo& to, Outbox& out) {
  const auto request = wire::decode_multi_set(body);
  if (!request) return out.malformed(to, body.size());
  if (auto good = wire::check_entries(request->entries); !good.ok()) {
    return out.fail(to, std::move(good).error());
  }
  const std::vector<Table::Entry> entries = Table::last_of_each(request->entries);
  std::size_t told = 0;
  for (const Table::Entry& entry : entries) told += watches_.count_told(entry.key);
  if (entries.size() > 1 && told > limits::told_changes_max) {
    return out.fail(to,
                    Failure{.code = Code::limit,
                            .reason = fmt::format("setting {} keys at once would be told {} "
                                                  "times, at most {} are possible",
                                                  entries.size(), told, limits::told_changes_max),
                            .advice = "set fewer keys at once, or watch fewer"});
  }
  std::vector<bool> was_there;
  for (const Table::Entry& entry : entries) was_there.push_back(there(entry.key));
  if (auto done = table_.set_all(entries); !done.ok()) {
    return out.fail(to, std::move(done).error());
  }
  out.empty(to);
  for (std::size_t i = 0; i < entries.size(); ++i) changed(entries[i].key, was_there[i], out);
}

void StoreRequests::list(Bytes body, const ReplyTo& to, Outbox& out) {
  const auto request = wire::decode_list(body);
  if (!request) return out.malformed(to, body.size());
  for (const std::string_view prefix : {request->prefix, request->after}) {
    if (auto good = wire::check_prefix(prefix); !good.ok()) {
      return out.fail(to, std::move(good).error());
    }
  }
  const Table::Page page = table_.list(request->prefix, request->after, request->keys_max);
  out.written(to, [&](Value& answer) { encode(wire::ListAnswer{page.more, page.keys}, answer); });
}

void StoreRequests::watch(Bytes body, const ReplyTo& to, Outbox& out) {
  const auto request = wire::decode_watch(body);
  if (!request) return out.malformed(to, body.size());
  if (auto good = wire::check_prefix(request->prefix); !good.ok()) {
    return out.fail(to, std::move(good).error());
  }
  if (watches_.contains(to.link, to.sequence)) {
    return out.fail(to, Code::protocol,
                    fmt::format("this link has a watch {} already", to.sequence));
  }
  if (watches_.count_of(to.link) >= limits::watches_a_link_max) {
    return out.fail(to, Code::limit,
                    fmt::format("a link has at most {} watches", limits::watches_a_link_max));
  }
  watches_.add(to, request->prefix);
  out.empty(to);
}

void StoreRequests::unwatch(Bytes body, const ReplyTo& to, Outbox& out) {
  const auto request = wire::decode_unwatch(body);
  if (!request) return out.malformed(to, body.size());
  if (!watches_.remove(to.link, request->watch)) {
    return out.fail(to, Code::not_found, fmt::format("this link has no watch {}", request->watch));
  }
  out.empty(to);
}

}  // namespace muster::server
