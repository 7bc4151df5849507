#include "store/change_feed.hpp"

#include <fmt/format.h>
#include <utility>

#include "base/limits.hpp"
#include "wire/store_limits.hpp"

namespace muster {

Result<WatchId> ChangeFeed::add(std::string_view prefix, Store::OnChange on_change) {
  if (auto good = wire::check_prefix(prefix); !good) return std::move(good).error();
  const std::lock_guard lock(mutex_);
  if (watches_.size() >= limits::watches_a_link_max) {
    return Error{.code = Code::limit,
                 .what = fmt::format("a store has at most {} watches", limits::watches_a_link_max)};
  }
  watches_.emplace(
      ++last_, std::make_shared<Watch>(Watch{std::string(prefix), std::move(on_change), false}));
  return last_;
}

Result<void> ChangeFeed::remove(WatchId id, TimePoint until) {
  std::unique_lock lock(mutex_);
  const auto found = watches_.find(id);
  if (found == watches_.end()) {
    return Error{.code = Code::not_found,
                 .what = fmt::format("there is no watch {} of this store", id)};
  }
  const std::shared_ptr<Watch> watch = found->second;
  watches_.erase(found);
  watch->ended = true;
  if (deliverer_ == std::this_thread::get_id()) return {};
  if (told_.wait_until(lock, until, [&] { return running_ != watch.get(); })) return {};
  return Error{.code = Code::timeout,
               .phase = Phase::operation,
               .what = fmt::format("the handler of watch {} has not returned in time", id),
               .advice = "see what it waits for; it is not called again"};
}

void ChangeFeed::note(std::string_view key, std::optional<Bytes> value) {
  const std::lock_guard lock(mutex_);
  std::shared_ptr<Change> change;
  for (const auto& [id, watch] : watches_) {
    if (!key.starts_with(watch->prefix)) continue;
    if (!change) {
      change = std::make_shared<Change>(Change{std::string(key), std::nullopt});
      if (value) change->value = to_value(*value);
    }
    queue_.push_back({watch, change});
  }
}

void ChangeFeed::deliver() noexcept {
  std::unique_lock lock(mutex_);
  if (deliverer_ || queue_.empty()) return;
  deliverer_ = std::this_thread::get_id();
  while (!queue_.empty()) {
    Delivery next = std::move(queue_.front());
    queue_.pop_front();
    if (next.watch->ended) continue;
    running_ = next.watch.get();
    lock.unlock();
    next.watch->on_change(*next.change);
    lock.lock();
    running_ = nullptr;
    told_.notify_all();
  }
  deliverer_.reset();
}

}  // namespace muster
