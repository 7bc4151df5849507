#include "store/remote_store.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <mutex>
#include <string>
#include <utility>

#include "base/fork.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"
#include "store/deadlines.hpp"
#include "store/remote_answers.hpp"
#include "wire/many_messages.hpp"
#include "wire/prefix_messages.hpp"
#include "wire/store_limits.hpp"
#include "wire/store_messages.hpp"

namespace muster {
namespace {

using client::Caller;
using wire::Type;

class RemoteStore : public Store {
 public:
  explicit RemoteStore(std::shared_ptr<Caller> caller) : caller_(std::move(caller)) {}
  ~RemoteStore() override {
    for (const WatchId watch : watches_) caller_->end_watch(watch);
  }

  Result<void> set(std::string_view key, Bytes value, Deadline deadline) override {
    return put(Type::set, {"set", key}, value, deadline);
  }
  Result<void> set_owned(std::string_view key, Bytes value, Deadline deadline) override {
    return put(Type::set_owned, {"set_owned", key}, value, deadline);
  }
  Result<Value> get(std::string_view key, Deadline deadline) override;
  Result<Value> wait_get(std::string_view key, Deadline deadline) override;
  Result<void> wait(std::span<const std::string_view> keys, Deadline deadline) override;
  Result<std::int64_t> add(std::string_view key, std::int64_t delta, Deadline deadline) override;
  Result<std::uint64_t> append(std::string_view key, Bytes value, Deadline deadline) override;
  Result<Swap> compare_set(std::string_view key, std::optional<Bytes> expected, Bytes desired,
                           Deadline deadline) override;
  Result<bool> remove(std::string_view key, Deadline deadline) override;
  Result<std::vector<std::optional<Value>>> multi_get(std::span<const std::string_view> keys,
                                                      Deadline deadline) override;
  Result<void> multi_set(std::span<const KeyValue> entries, Deadline deadline) override;
  Result<KeyPage> list(std::string_view prefix, std::string_view after, std::size_t keys_max,
                       Deadline deadline) override;
  Result<WatchId> watch(std::string_view prefix, OnChange on_change, Deadline deadline) override;
  Result<void> unwatch(WatchId watch, Deadline deadline) override;

 private:
  template <class Request>
  Result<Value> ask(const Operation& operation, Type type, const Request& request,
                    Deadline deadline) {
    auto answer = client::call(*caller_, client::frame(type, request), give_up(*caller_, deadline));
    if (!answer) return about(operation, std::move(answer).error());
    return answer;
  }

  /// A request whose wait the server ends: `make` is given the milliseconds left.
  template <class Make>
  Result<Value> ask_and_wait(const Operation& operation, Type type, Deadline deadline, Make make) {
    const TimePoint now = caller_->now();
    const TimePoint until = resolve(*caller_, deadline, now);
    auto answer = client::call(*caller_, client::frame(type, make(client::left_ms(now, until))),
                               client::with_grace(now, until));
    if (!answer) return about(operation, std::move(answer).error());
    return answer;
  }

  Result<void> put(Type type, const Operation& operation, Bytes value, Deadline deadline);

  const HomeProcess home_;
  std::shared_ptr<Caller> caller_;
  std::mutex mutex_;
  std::vector<WatchId> watches_;
};

Result<void> RemoteStore::put(Type type, const Operation& operation, Bytes value,
                              Deadline deadline) {
  if (auto good = wire::check_key(operation.key); !good) return good;
  if (auto good = wire::check_value(operation.key, value); !good) return good;
  return read_nothing(operation,
                      ask(operation, type, wire::SetRequest{operation.key, value}, deadline));
}

Result<Value> RemoteStore::get(std::string_view key, Deadline deadline) {
  if (auto good = wire::check_key(key); !good) return std::move(good).error();
  return ask({"get", key}, Type::get, wire::GetRequest{key, 0}, deadline);
}

Result<Value> RemoteStore::wait_get(std::string_view key, Deadline deadline) {
  if (auto good = wire::check_key(key); !good) return std::move(good).error();
  auto answer = ask_and_wait({"wait_get", key}, Type::get, deadline, [&](std::uint32_t left_ms) {
    return wire::GetRequest{key, left_ms};
  });
  if (answer || answer.error().code != Code::not_found) return answer;
  // Only one look was left: the server did not wait, but whoever called did mean to.
  Error error = std::move(answer).error();
  error.code = Code::timeout;
  return error;
}

Result<void> RemoteStore::wait(std::span<const std::string_view> keys, Deadline deadline) {
  if (auto good = wire::check_keys(keys); !good) return good;
  const Operation operation{"wait", keys.empty() ? "" : keys.front(), keys.size()};
  return read_nothing(operation, ask_and_wait(operation, Type::wait, deadline, [&](auto left_ms) {
                        return wire::WaitRequest{left_ms, {keys.begin(), keys.end()}};
                      }));
}

Result<std::int64_t> RemoteStore::add(std::string_view key, std::int64_t delta, Deadline deadline) {
  if (auto good = wire::check_key(key); !good) return std::move(good).error();
  const Operation operation{"add", key};
  return read_number<std::int64_t>(
      operation, ask(operation, Type::add, wire::AddRequest{key, delta}, deadline));
}

Result<std::uint64_t> RemoteStore::append(std::string_view key, Bytes value, Deadline deadline) {
  if (auto good = wire::check_key(key); !good) return std::move(good).error();
  if (auto good = wire::check_value(key, value); !good) return std::move(good).error();
  const Operation operation{"append", key};
  return read_number<std::uint64_t>(
      operation, ask(operation, Type::append, wire::AppendRequest{key, value}, deadline));
}

Result<Swap> RemoteStore::compare_set(std::string_view key, std::optional<Bytes> expected,
                                      Bytes desired, Deadline deadline) {
  if (auto good = wire::check_key(key); !good) return std::move(good).error();
  for (const Bytes value : {desired, expected.value_or(Bytes{})}) {
    if (auto good = wire::check_value(key, value); !good) return std::move(good).error();
  }
  if (auto good = check_swap(key, expected, desired); !good) return std::move(good).error();
  const Operation operation{"compare_set", key};
  return read_swap(operation, ask(operation, Type::compare_set,
                                  wire::CompareSetRequest{key, expected, desired}, deadline));
}

Result<bool> RemoteStore::remove(std::string_view key, Deadline deadline) {
  if (auto good = wire::check_key(key); !good) return std::move(good).error();
  const Operation operation{"remove", key};
  return read_truth(operation, ask(operation, Type::remove, wire::RemoveRequest{key}, deadline));
}

Result<std::vector<std::optional<Value>>> RemoteStore::multi_get(
    std::span<const std::string_view> keys, Deadline deadline) {
  if (auto good = wire::check_keys(keys); !good) return std::move(good).error();
  const Operation operation{"multi_get", keys.empty() ? "" : keys.front(), keys.size()};
  return read_values(operation, ask(operation, Type::multi_get,
                                    wire::MultiGetRequest{{keys.begin(), keys.end()}}, deadline));
}

Result<void> RemoteStore::multi_set(std::span<const KeyValue> entries, Deadline deadline) {
  wire::MultiSetRequest request;
  for (const KeyValue& entry : entries) request.entries.push_back({entry.key, entry.value});
  if (auto good = wire::check_entries(request.entries); !good) return good;
  const Operation operation{"multi_set", entries.empty() ? "" : entries.front().key,
                            entries.size()};
  return read_nothing(operation, ask(operation, Type::multi_set, request, deadline));
}

Result<KeyPage> RemoteStore::list(std::string_view prefix, std::string_view after,
                                  std::size_t keys_max, Deadline deadline) {
  for (const std::string_view text : {prefix, after}) {
    if (auto good = wire::check_prefix(text); !good) return std::move(good).error();
  }
  const Operation operation{"list", prefix};
  const auto most = static_cast<std::uint32_t>(std::min(keys_max, limits::listed_keys_max));
  return read_page(operation,
                   ask(operation, Type::list, wire::ListRequest{prefix, after, most}, deadline));
}

Result<WatchId> RemoteStore::watch(std::string_view prefix, OnChange on_change, Deadline deadline) {
  if (auto good = wire::check_prefix(prefix); !good) return std::move(good).error();
  const std::weak_ptr<Caller> link = caller_;
  auto on_push = [link, on_change = std::move(on_change)](Bytes body) {
    if (auto changed = read_change(body)) return on_change(*changed);
    if (const auto caller = link.lock()) caller->close(malformed({"watch", ""}));
  };
  const Operation operation{"watch", prefix};
  auto watch = client::call_watch(*caller_, client::frame(Type::watch, wire::WatchRequest{prefix}),
                                  std::move(on_push), give_up(*caller_, deadline));
  if (!watch) return about(operation, std::move(watch).error());
  const std::lock_guard lock(mutex_);
  watches_.push_back(*watch);
  return *watch;
}

Result<void> RemoteStore::unwatch(WatchId watch, Deadline deadline) {
  if (!home_.here()) return home_.error();
  {
    const std::lock_guard lock(mutex_);
    if (std::erase(watches_, watch) == 0) {
      return Error{.code = Code::not_found,
                   .what = fmt::format("there is no watch {} of this store", watch)};
    }
  }
  caller_->end_watch(watch);
  const Operation operation{"unwatch", ""};
  return read_nothing(operation,
                      ask(operation, Type::unwatch, wire::UnwatchRequest{watch}, deadline));
}

}  // namespace

std::unique_ptr<Store> make_remote_store(std::shared_ptr<client::Caller> caller) {
  return std::make_unique<RemoteStore>(std::move(caller));
}

}  // namespace muster
