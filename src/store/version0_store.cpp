#include "store/version0_store.hpp"

#include <chrono>
#include <deque>
#include <fmt/format.h>
#include <string>
#include <utility>

#include "base/limits.hpp"
#include "base/seconds.hpp"
#include "base/text.hpp"
#include "store/deadlines.hpp"
#include "wire/store_limits.hpp"
#include "wire/v0_answers.hpp"
#include "wire/v0_requests.hpp"

namespace muster {
namespace {

using client::Caller;
using client::Ticket;
using wire::v0::Operation;
using wire::v0::Request;

Error unsupported(std::string_view operation) {
  return Error{.code = Code::unsupported,
               .what = fmt::format("{}: version 0 of the protocol has no such request", operation),
               .advice = "leave ?wire=0 away, if the server is Muster's"};
}

/// The error names operation and key.
Error about(std::string_view operation, std::string_view key, Error error) {
  error.what = fmt::format("{} of key {}: {}", operation, quoted(key), error.what);
  return error;
}

Error malformed() {
  return Error{.code = Code::protocol,
               .what = "the server's answer is malformed",
               .advice = "check that the server speaks version 0"};
}

/// `limit` for what does not fit, before anything is sent.
Result<void> check(std::string_view key, const Request& request) {
  if (auto good = wire::check_key(key); !good) return good;
  const std::size_t bytes = wire::v0::value_bytes(request);
  if (bytes <= limits::v0_sent_values_bytes_max) return {};
  return Error{.code = Code::limit,
               .what = fmt::format("a request of version 0 carries values of at most {} bytes, the "
                                   "one for key {} would carry {}",
                                   limits::v0_sent_values_bytes_max, quoted(key), bytes),
               .advice = "split the value, or leave ?wire=0 away, if the server is Muster's"};
}

Value frame(const Request& request) {
  Value out;
  out.reserve(wire::header_bytes + wire::v0::packed_bytes(request));
  const std::size_t begun = wire::begin_frame(out);
  wire::v0::pack(request, out);
  wire::end_frame(out, begun, wire::Type{wire::v0::frame_type}, 0);
  return out;
}

class Version0Store : public Store {
 public:
  explicit Version0Store(std::shared_ptr<Caller> caller) : caller_(std::move(caller)) {}

  Result<void> set(std::string_view key, Bytes value, Deadline deadline) override {
    auto answer = ask("set", key, wire::SetRequest{key, value}, give_up(*caller_, deadline));
    if (!answer) return std::move(answer).error();
    return {};
  }
  Result<void> set_owned(std::string_view key, Bytes, Deadline) override {
    return about("set_owned", key, unsupported("set_owned"));
  }
  Result<Value> get(std::string_view key, Deadline deadline) override {
    return value(Operation::get, "get", key,
                 ask("get", key, wire::GetRequest{key, 0}, give_up(*caller_, deadline)));
  }
  Result<Value> wait_get(std::string_view key, Deadline deadline) override;
  Result<void> wait(std::span<const std::string_view> keys, Deadline deadline) override;
  Result<std::int64_t> add(std::string_view key, std::int64_t delta, Deadline deadline) override {
    return number("add", key,
                  ask("add", key, wire::AddRequest{key, delta}, give_up(*caller_, deadline)));
  }
  Result<std::uint64_t> append(std::string_view key, Bytes value, Deadline deadline) override;
  Result<Swap> compare_set(std::string_view key, std::optional<Bytes> expected, Bytes desired,
                           Deadline deadline) override;
  Result<bool> remove(std::string_view key, Deadline deadline) override;
  Result<std::vector<std::optional<Value>>> multi_get(std::span<const std::string_view> keys,
                                                      Deadline deadline) override;
  Result<void> multi_set(std::span<const KeyValue> entries, Deadline deadline) override;
  Result<KeyPage> list(std::string_view, std::string_view, std::size_t, Deadline) override {
    return unsupported("list");
  }
  Result<WatchId> watch(std::string_view, OnChange, Deadline) override {
    return unsupported("watch");
  }
  Result<void> unwatch(WatchId, Deadline) override { return unsupported("unwatch"); }

 private:
  /// A GET that the server ends by itself at `until`.
  wire::GetRequest get_until(std::string_view key, TimePoint until) const {
    return {key, client::left_ms(caller_->now(), until)};
  }

  /// The body of a good answer that comes by `end`.
  Result<Value> ask(std::string_view operation, std::string_view key, const Request& request,
                    TimePoint end);
  /// The same of what was started at `begun`.
  Result<Value> finish(std::string_view operation, std::string_view key, Ticket ticket,
                       TimePoint begun, TimePoint end);
  Result<Value> value(Operation kind, std::string_view operation, std::string_view key,
                      Result<Value> answer) const;
  Result<std::int64_t> number(std::string_view operation, std::string_view key,
                              Result<Value> answer) const;
  /// Asks `request_of(i)` for each of `count` keys, some at a time, and gives each answer to
  /// `take(i, answer)`. Ends early, with what is in flight given up, when take returns an error.
  template <class KeyOf, class RequestOf, class Take>
  Result<void> ask_many(std::string_view operation, std::size_t count, TimePoint end, KeyOf key_of,
                        RequestOf request_of, Take take);

  std::shared_ptr<Caller> caller_;
};

Result<Value> Version0Store::ask(std::string_view operation, std::string_view key,
                                 const Request& request, TimePoint end) {
  if (auto good = check(key, request); !good) return std::move(good).error();
  const TimePoint begun = caller_->now();
  const Result<Ticket> ticket = caller_->start(frame(request));
  if (!ticket) return about(operation, key, client::located(ticket.error(), *caller_, begun));
  return finish(operation, key, *ticket, begun, end);
}

Result<Value> Version0Store::finish(std::string_view operation, std::string_view key, Ticket ticket,
                                    TimePoint begun, TimePoint end) {
  auto reply = caller_->wait(ticket, end);
  if (reply && !reply->failed) return std::move(reply->body);
  Error error = reply ? wire::v0::to_error(static_cast<std::int16_t>(reply->code), reply->body)
                      : std::move(reply).error();
  error = client::located(std::move(error), *caller_, begun);
  if (error.code == Code::timeout) {
    error.what += fmt::format(", after {:.3f} s", to_seconds(error.elapsed));
  }
  return about(operation, key, std::move(error));
}

Result<Value> Version0Store::value(Operation kind, std::string_view operation, std::string_view key,
                                   Result<Value> answer) const {
  if (!answer) return answer;
  const auto value = wire::v0::unpack_value(*answer, kind);
  if (!value) return about(operation, key, client::located(malformed(), *caller_, caller_->now()));
  return to_value(*value);
}

Result<std::int64_t> Version0Store::number(std::string_view operation, std::string_view key,
                                           Result<Value> answer) const {
  if (!answer) return std::move(answer).error();
  const auto number = wire::v0::unpack_number(*answer);
  if (!number) return about(operation, key, client::located(malformed(), *caller_, caller_->now()));
  return *number;
}

Result<Value> Version0Store::wait_get(std::string_view key, Deadline deadline) {
  const TimePoint until = resolve(*caller_, deadline, caller_->now());
  auto answer =
      value(Operation::get, "wait_get", key,
            ask("wait_get", key, get_until(key, until), client::with_grace(caller_->now(), until)));
  // Only one look was left: the server did not wait, but whoever called did mean to.
  if (answer || answer.error().code != Code::not_found) return answer;
  Error error = std::move(answer).error();
  error.code = Code::timeout;
  return error;
}

Result<std::uint64_t> Version0Store::append(std::string_view key, Bytes value, Deadline deadline) {
  const auto length =
      number("append", key,
             ask("append", key, wire::AppendRequest{key, value}, give_up(*caller_, deadline)));
  if (!length) return length.error();
  return static_cast<std::uint64_t>(*length);
}

Result<Swap> Version0Store::compare_set(std::string_view key, std::optional<Bytes> expected,
                                        Bytes desired, Deadline deadline) {
  if (expected && expected->empty()) {
    return about("compare_set", key,
                 Error{.code = Code::unsupported,
                       .what = "version 0 of the protocol takes an empty value and an absent key "
                               "for the same",
                       .advice = "expect no value, if an absent key will do"});
  }
  const wire::CompareSetRequest request{key, expected, desired};
  auto before = value(Operation::compare_set, "compare_set", key,
                      ask("compare_set", key, request, give_up(*caller_, deadline)));
  if (!before) return std::move(before).error();
  Swap swap{as_text(*before) == as_text(expected.value_or(Bytes{})), *std::move(before)};
  if (swap.before->empty()) swap.before.reset();
  return swap;
}

Result<bool> Version0Store::remove(std::string_view key, Deadline deadline) {
  auto answer = ask("remove", key, wire::RemoveRequest{key}, give_up(*caller_, deadline));
  if (answer) return true;
  if (answer.error().code == Code::not_found) return false;
  return std::move(answer).error();
}

template <class KeyOf, class RequestOf, class Take>
Result<void> Version0Store::ask_many(std::string_view operation, std::size_t count, TimePoint end,
                                     KeyOf key_of, RequestOf request_of, Take take) {
  struct Flying {
    Ticket ticket;
    TimePoint begun;
  };
  std::deque<Flying> flying;
  Result<void> result;
  for (std::size_t next = 0, done = 0; result.ok() && done < count;) {
    if (next < count && flying.size() < limits::v0_in_flight_max) {
      const Result<Ticket> ticket = caller_->start(frame(request_of(next)));
      if (ticket) {
        flying.push_back({*ticket, caller_->now()});
        ++next;
        continue;
      }
      result =
          about(operation, key_of(next), client::located(ticket.error(), *caller_, caller_->now()));
      break;
    }
    const Flying first = flying.front();
    flying.pop_front();
    result = take(done, finish(operation, key_of(done), first.ticket, first.begun, end));
    ++done;
  }
  for (const Flying& each : flying) caller_->forget(each.ticket);
  return result;
}

Result<void> Version0Store::wait(std::span<const std::string_view> keys, Deadline deadline) {
  if (auto good = wire::check_keys(keys); !good) return good;
  const TimePoint begun = caller_->now();
  const TimePoint until = resolve(*caller_, deadline, begun);
  std::string missing;
  auto done = ask_many(
      "wait", keys.size(), client::with_grace(begun, until), [&](std::size_t i) { return keys[i]; },
      [&](std::size_t i) { return Request{get_until(keys[i], until)}; },
      [&](std::size_t i, Result<Value> answer) -> Result<void> {
        if (answer) return {};
        const Code code = answer.error().code;
        if (code != Code::timeout && code != Code::not_found) return std::move(answer).error();
        missing += (missing.empty() ? "" : ", ") + quoted(keys[i]);
        return {};
      });
  if (!done || missing.empty()) return done;
  Error error{.code = Code::timeout,
              .what = fmt::format("nobody set these keys in time: {}", printable(missing)),
              .advice = "see whether the ranks that set them got that far, or wait longer"};
  return client::located(std::move(error), *caller_, begun);
}

Result<std::vector<std::optional<Value>>> Version0Store::multi_get(
    std::span<const std::string_view> keys, Deadline deadline) {
  if (auto good = wire::check_keys(keys); !good) return std::move(good).error();
  std::vector<std::optional<Value>> values(keys.size());
  auto done = ask_many(
      "multi_get", keys.size(), give_up(*caller_, deadline), [&](std::size_t i) { return keys[i]; },
      [&](std::size_t i) {
        return Request{wire::GetRequest{keys[i], 0}};
      },
      [&](std::size_t i, Result<Value> answer) -> Result<void> {
        if (!answer && answer.error().code == Code::not_found) return {};
        auto got = value(Operation::get, "multi_get", keys[i], std::move(answer));
        if (!got) return std::move(got).error();
        values[i] = *std::move(got);
        return {};
      });
  if (!done) return std::move(done).error();
  return values;
}

Result<void> Version0Store::multi_set(std::span<const KeyValue> entries, Deadline deadline) {
  std::vector<wire::MultiSetRequest::Entry> listed;
  for (const KeyValue& entry : entries) listed.push_back({entry.key, entry.value});
  if (auto good = wire::check_entries(listed); !good) return good;
  const auto request_of = [&](std::size_t i) {
    return Request{wire::SetRequest{entries[i].key, entries[i].value}};
  };
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (auto good = check(entries[i].key, request_of(i)); !good) return good;
  }
  return ask_many(
      "multi_set", entries.size(), give_up(*caller_, deadline),
      [&](std::size_t i) { return entries[i].key; }, request_of,
      [](std::size_t, Result<Value> answer) -> Result<void> {
        if (answer) return {};
        return std::move(answer).error();
      });
}

}  // namespace

std::unique_ptr<Store> make_version0_store(std::shared_ptr<client::Caller> caller) {
  return std::make_unique<Version0Store>(std::move(caller));
}

}  // namespace muster
