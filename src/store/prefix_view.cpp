// A view of a store: every key behind one prefix.
#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <string>
#include <utility>

#include <muster/store.hpp>

#include "base/limits.hpp"
#include "base/text.hpp"

namespace muster {
namespace {

class PrefixView : public Store {
 public:
  PrefixView(Store& store, std::string front) : store_(store), front_(std::move(front)) {}

  std::unique_ptr<Store> nested(const std::string& prefix) const {
    return std::make_unique<PrefixView>(store_, join(prefix) + '/');
  }

  Result<void> set(std::string_view key, Bytes value, Deadline deadline) override {
    return with(key, [&](std::string_view whole) { return store_.set(whole, value, deadline); });
  }
  Result<void> set_owned(std::string_view key, Bytes value, Deadline deadline) override {
    return with(key,
                [&](std::string_view whole) { return store_.set_owned(whole, value, deadline); });
  }
  Result<Value> get(std::string_view key, Deadline deadline) override {
    return with(key, [&](std::string_view whole) { return store_.get(whole, deadline); });
  }
  Result<Value> wait_get(std::string_view key, Deadline deadline) override {
    return with(key, [&](std::string_view whole) { return store_.wait_get(whole, deadline); });
  }
  Result<void> wait(std::span<const std::string_view> keys, Deadline deadline) override {
    return with_all(keys, [&](const Views& whole) { return store_.wait(whole, deadline); });
  }
  Result<std::int64_t> add(std::string_view key, std::int64_t delta, Deadline deadline) override {
    return with(key, [&](std::string_view whole) { return store_.add(whole, delta, deadline); });
  }
  Result<std::uint64_t> append(std::string_view key, Bytes value, Deadline deadline) override {
    return with(key, [&](std::string_view whole) { return store_.append(whole, value, deadline); });
  }
  Result<Swap> compare_set(std::string_view key, std::optional<Bytes> expected, Bytes desired,
                           Deadline deadline) override {
    return with(key, [&](std::string_view whole) {
      return store_.compare_set(whole, expected, desired, deadline);
    });
  }
  Result<bool> remove(std::string_view key, Deadline deadline) override {
    return with(key, [&](std::string_view whole) { return store_.remove(whole, deadline); });
  }
  Result<std::vector<std::optional<Value>>> multi_get(std::span<const std::string_view> keys,
                                                      Deadline deadline) override {
    return with_all(keys, [&](const Views& whole) { return store_.multi_get(whole, deadline); });
  }
  Result<void> multi_set(std::span<const KeyValue> entries, Deadline deadline) override {
    Views keys;
    for (const KeyValue& entry : entries) keys.push_back(entry.key);
    return with_all(keys, [&](const Views& whole) {
      std::vector<KeyValue> behind;
      for (std::size_t i = 0; i < whole.size(); ++i) behind.push_back({whole[i], entries[i].value});
      return store_.multi_set(behind, deadline);
    });
  }
  Result<KeyPage> list(std::string_view prefix, std::string_view after, std::size_t keys_max,
                       Deadline deadline) override {
    const std::string behind = after.empty() ? std::string() : join(after);
    auto page = store_.list(join(prefix), behind, keys_max, deadline);
    if (!page) return page;
    for (std::string& key : page->keys) key.erase(0, front_.size());
    return page;
  }
  Result<WatchId> watch(std::string_view prefix, OnChange on_change, Deadline deadline) override {
    const auto shorter = [front = front_.size(), told = std::move(on_change)](const Change& whole) {
      told({whole.key.substr(front), whole.value});
    };
    return store_.watch(join(prefix), shorter, deadline);
  }
  Result<void> unwatch(WatchId watch, Deadline deadline) override {
    return store_.unwatch(watch, deadline);
  }

 private:
  using Views = std::vector<std::string_view>;

  std::string join(std::string_view key) const { return front_ + std::string(key); }

  Result<std::string> whole(std::string_view key) const {
    const std::size_t room = limits::key_bytes_max - std::min(limits::key_bytes_max, front_.size());
    if (!key.empty() && key.size() <= room) return join(key);
    if (room == 0) {
      return Error{.code = Code::limit,
                   .what = fmt::format("the view's prefix {} of {} bytes leaves no room for a key, "
                                       "which has at most {}",
                                       quoted(front_), front_.size(), limits::key_bytes_max),
                   .advice = "take a shorter prefix"};
    }
    return Error{
        .code = Code::limit,
        .what = fmt::format("behind the view's prefix {} a key has 1 to {} bytes, this one has {}",
                            quoted(front_), room, key.size())};
  }

  template <class Call>
  auto with(std::string_view key, Call&& call) const -> decltype(call(key)) {
    auto name = whole(key);
    if (!name) return std::move(name).error();
    return call(*name);
  }

  template <class Call>
  auto with_all(std::span<const std::string_view> keys, Call&& call) const
      -> decltype(call(Views{})) {
    std::vector<std::string> names;
    for (const std::string_view key : keys) {
      auto name = whole(key);
      if (!name) return std::move(name).error();
      names.push_back(*std::move(name));
    }
    return call(Views(names.begin(), names.end()));
  }

  Store& store_;
  std::string front_;  ///< the prefix and its '/'
};

}  // namespace

std::unique_ptr<Store> make_prefix_view(Store& store, std::string prefix) {
  // A view of a view is one view, so that its errors know the whole prefix.
  if (const auto* view = dynamic_cast<const PrefixView*>(&store)) return view->nested(prefix);
  return std::make_unique<PrefixView>(store, std::move(prefix) + '/');
}

}  // namespace muster
