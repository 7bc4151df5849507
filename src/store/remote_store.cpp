#include "store/remote_store.hpp"

#include <fmt/format.h>
#include <string>
#include <utility>

#include "base/text.hpp"
#include "wire/cursor.hpp"
#include "wire/store_limits.hpp"
#include "wire/store_messages.hpp"

namespace muster {
namespace {

using client::Caller;
using wire::Type;

/// The error names the key, whoever worded it.
Error about(std::string_view operation, std::string_view key, Error error) {
  if (error.what.find(quoted(key)) == std::string::npos) {
    error.what = fmt::format("{} of key {}: {}", operation, quoted(key), error.what);
  }
  return error;
}

Error malformed(std::string_view operation, std::string_view key) {
  return about(operation, key,
               Error{.code = Code::protocol,
                     .phase = Phase::operation,
                     .what = "the server's answer is malformed",
                     .advice = "check that server and ranks run the same release"});
}

class RemoteStore : public Store {
 public:
  explicit RemoteStore(std::shared_ptr<Caller> caller) : caller_(std::move(caller)) {}

  Result<void> set(std::string_view key, Bytes value, Deadline deadline) override {
    if (auto good = wire::check_key(key); !good) return good;
    if (auto good = wire::check_value(key, value); !good) return good;
    auto answer = ask("set", key, Type::set, wire::SetRequest{key, value}, deadline);
    if (!answer) return std::move(answer).error();
    if (!answer->empty()) return malformed("set", key);
    return {};
  }

  Result<Value> get(std::string_view key, Deadline deadline) override {
    if (auto good = wire::check_key(key); !good) return std::move(good).error();
    return ask("get", key, Type::get, wire::GetRequest{key, 0}, deadline);
  }

  Result<Value> wait_get(std::string_view key, Deadline deadline) override {
    if (auto good = wire::check_key(key); !good) return std::move(good).error();
    const TimePoint now = caller_->now();
    const TimePoint until = resolve(deadline, now);
    const wire::GetRequest request{key, client::left_ms(now, until)};
    auto answer =
        client::call(*caller_, client::frame(Type::get, request), client::with_grace(now, until));
    if (answer) return answer;
    Error error = about("wait_get", key, std::move(answer).error());
    // Only one look was left: the server did not wait, but whoever called did mean to.
    if (error.code == Code::not_found) error.code = Code::timeout;
    return error;
  }

  Result<std::int64_t> add(std::string_view key, std::int64_t delta, Deadline deadline) override {
    if (auto good = wire::check_key(key); !good) return std::move(good).error();
    auto answer = ask("add", key, Type::add, wire::AddRequest{key, delta}, deadline);
    if (!answer) return std::move(answer).error();
    wire::Reader reader(*answer);
    const std::int64_t sum = reader.i64();
    if (!reader.done()) return malformed("add", key);
    return sum;
  }

  Result<bool> remove(std::string_view key, Deadline deadline) override {
    if (auto good = wire::check_key(key); !good) return std::move(good).error();
    auto answer = ask("remove", key, Type::remove, wire::RemoveRequest{key}, deadline);
    if (!answer) return std::move(answer).error();
    wire::Reader reader(*answer);
    const bool was_there = reader.boolean();
    if (!reader.done()) return malformed("remove", key);
    return was_there;
  }

 private:
  TimePoint resolve(Deadline deadline, TimePoint now) const {
    return deadline.resolve(now, caller_->session().operation_timeout);
  }

  /// A request that the server answers at once. With a deadline that has passed it is still made,
  /// and waited for as long as an answer may take to get here.
  template <class Request>
  Result<Value> ask(std::string_view operation, std::string_view key, Type type,
                    const Request& request, Deadline deadline) {
    const TimePoint now = caller_->now();
    const TimePoint until = resolve(deadline, now);
    auto answer = client::call(*caller_, client::frame(type, request),
                               until > now ? until : client::with_grace(now, until));
    if (!answer) return about(operation, key, std::move(answer).error());
    return answer;
  }

  std::shared_ptr<Caller> caller_;
};

}  // namespace

std::unique_ptr<Store> make_remote_store(std::shared_ptr<client::Caller> caller) {
  return std::make_unique<RemoteStore>(std::move(caller));
}

}  // namespace muster
