// A store without a server: the server's table behind a lock.
#include <condition_variable>
#include <fmt/format.h>
#include <memory>
#include <mutex>
#include <utility>

#include <muster/store.hpp>

#include "base/text.hpp"
#include "client/core/caller.hpp"
#include "server/core/table.hpp"
#include "server/core/wording.hpp"
#include "store/change_feed.hpp"
#include "store/remote_answers.hpp"
#include "wire/store_limits.hpp"

namespace muster {
namespace {

using server::Stored;

TimePoint resolve(Deadline deadline, TimePoint now) {
  return deadline.resolve(now, client::Session{}.operation_timeout);
}

Error nobody_set(std::span<const std::string> missing, Duration waited) {
  return Error{.code = Code::timeout,
               .phase = Phase::operation,
               .what = fmt::format("nobody set {} within {}", server::keys_text(missing),
                                   server::seconds_text(waited)),
               .advice = "see whether who sets the key got that far, or wait longer",
               .elapsed = waited};
}

class TableStore : public Store {
 public:
  explicit TableStore(std::size_t quota_bytes) : table_(quota_bytes) {}

  Result<void> set(std::string_view key, Bytes value, Deadline) override {
    return changing(key, [&] { return table_.set(key, value); });
  }
  Result<void> set_owned(std::string_view key, Bytes value, Deadline deadline) override;
  Result<Value> get(std::string_view key, Deadline) override;
  Result<Value> wait_get(std::string_view key, Deadline deadline) override;
  Result<void> wait(std::span<const std::string_view> keys, Deadline deadline) override;
  Result<std::int64_t> add(std::string_view key, std::int64_t delta, Deadline) override {
    return changing(key, [&] { return table_.add(key, delta); });
  }
  Result<std::uint64_t> append(std::string_view key, Bytes value, Deadline) override {
    return changing(key, [&]() -> Result<std::uint64_t> {
      auto length = table_.append(key, value);
      if (!length) return std::move(length).error();
      return *length;
    });
  }
  Result<Swap> compare_set(std::string_view key, std::optional<Bytes> expected, Bytes desired,
                           Deadline deadline) override;
  Result<bool> remove(std::string_view key, Deadline) override {
    return changing(key, [&] { return table_.remove(key); });
  }
  Result<std::vector<std::optional<Value>>> multi_get(std::span<const std::string_view> keys,
                                                      Deadline) override;
  Result<void> multi_set(std::span<const KeyValue> entries, Deadline) override;
  Result<KeyPage> list(std::string_view prefix, std::string_view after, std::size_t keys_max,
                       Deadline) override;
  Result<WatchId> watch(std::string_view prefix, OnChange on_change, Deadline) override {
    return feed_.add(prefix, std::move(on_change));
  }
  Result<void> unwatch(WatchId watch, Deadline deadline) override {
    return feed_.remove(watch, resolve(deadline, Clock::now()));
  }

 private:
  template <class T>
  static bool has_changed(const Result<T>& result) {
    return result.ok();
  }
  static bool has_changed(const Result<bool>& result) { return result.ok() && *result; }
  static bool has_changed(const Result<Swap>& result) { return result.ok() && result->swapped; }

  /// `what` changes the key, or fails, or says that it has not. Its watches are told outside of the
  /// lock.
  template <class What>
  auto changing(std::string_view key, What&& what) -> decltype(what()) {
    std::unique_lock lock(mutex_);
    auto result = what();
    if (!has_changed(result)) return result;
    note(key);
    lock.unlock();
    changed_.notify_all();
    feed_.deliver();
    return result;
  }

  void note(std::string_view key) {
    const Stored* value = table_.find(key);
    feed_.note(key, value == nullptr ? std::nullopt : std::optional(value->bytes()));
  }

  std::vector<std::string> missing(std::span<const std::string_view> keys) const {
    std::vector<std::string> names;
    for (const std::string_view key : keys) {
      if (table_.find(key) == nullptr) names.emplace_back(key);
    }
    return names;
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  server::Table table_;
  ChangeFeed feed_;
};

Result<void> TableStore::set_owned(std::string_view key, Bytes, Deadline) {
  return Error{.code = Code::unsupported,
               .what = fmt::format("key {} can have no owner: this store is of one process, "
                                   "without ranks",
                                   quoted(key)),
               .advice = "use the store of a job"};
}

Result<Value> TableStore::get(std::string_view key, Deadline) {
  const std::lock_guard lock(mutex_);
  auto found = table_.get(key);
  if (!found) return std::move(found).error();
  if (const Stored* value = *found) return to_value(value->bytes());
  return Error{.code = Code::not_found, .what = fmt::format("there is no key {}", quoted(key))};
}

Result<Value> TableStore::wait_get(std::string_view key, Deadline deadline) {
  const std::string_view keys[] = {key};
  if (auto good = wire::check_key(key); !good) return std::move(good).error();
  const TimePoint begun = Clock::now();
  const TimePoint until = resolve(deadline, begun);
  std::unique_lock lock(mutex_);
  const Stored* value = nullptr;
  changed_.wait_until(lock, until, [&] { return (value = table_.find(key)) != nullptr; });
  if (value == nullptr) return nobody_set(missing(keys), Clock::now() - begun);
  return to_value(value->bytes());
}

Result<void> TableStore::wait(std::span<const std::string_view> keys, Deadline deadline) {
  if (auto good = wire::check_keys(keys); !good) return good;
  const TimePoint begun = Clock::now();
  const TimePoint until = resolve(deadline, begun);
  std::unique_lock lock(mutex_);
  if (changed_.wait_until(lock, until, [&] { return missing(keys).empty(); })) return {};
  return nobody_set(missing(keys), Clock::now() - begun);
}

Result<Swap> TableStore::compare_set(std::string_view key, std::optional<Bytes> expected,
                                     Bytes desired, Deadline) {
  if (auto good = check_swap(key, expected, desired); !good) return std::move(good).error();
  return changing(key, [&]() -> Result<Swap> {
    auto done = table_.compare_set(key, expected, desired);
    if (!done) return std::move(done).error();
    Swap swap{done->swapped, std::nullopt};
    if (done->before) swap.before = to_value(done->before->bytes());
    return swap;
  });
}

Result<std::vector<std::optional<Value>>> TableStore::multi_get(
    std::span<const std::string_view> keys, Deadline) {
  const std::lock_guard lock(mutex_);
  auto found = table_.get_all(keys);
  if (!found) return std::move(found).error();
  std::vector<std::optional<Value>> values;
  for (const Stored* value : *found) {
    values.push_back(value == nullptr ? std::nullopt : std::optional(to_value(value->bytes())));
  }
  return values;
}

Result<void> TableStore::multi_set(std::span<const KeyValue> entries, Deadline) {
  std::vector<server::Table::Entry> given;
  for (const KeyValue& entry : entries) given.push_back({entry.key, entry.value});
  if (auto good = wire::check_entries(given); !good) return good;
  const auto last = server::Table::last_of_each(given);
  {
    const std::lock_guard lock(mutex_);
    if (auto done = table_.set_all(last); !done) return done;
    for (const auto& entry : last) note(entry.key);
  }
  changed_.notify_all();
  feed_.deliver();
  return {};
}

Result<KeyPage> TableStore::list(std::string_view prefix, std::string_view after,
                                 std::size_t keys_max, Deadline) {
  for (const std::string_view text : {prefix, after}) {
    if (auto good = wire::check_prefix(text); !good) return std::move(good).error();
  }
  const std::lock_guard lock(mutex_);
  const server::Table::Page page = table_.list(prefix, after, keys_max);
  return KeyPage{{page.keys.begin(), page.keys.end()}, page.more};
}

}  // namespace

std::unique_ptr<Store> make_table_store(std::size_t quota_bytes) {
  return std::make_unique<TableStore>(quota_bytes);
}

}  // namespace muster
