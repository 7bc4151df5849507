#include "client/driver/push_queue.hpp"

#include <utility>

namespace muster::client {

void PushQueue::add(std::shared_ptr<Watch> watch, Bytes body) {
  bytes_ += body.size();
  pushes_.push_back({std::move(watch), to_value(body)});
}

void PushQueue::clear() {
  pushes_.clear();
  bytes_ = 0;
}

void PushQueue::deliver(Lock& lock) {
  while (ready()) {
    const Push push = std::move(pushes_.front());
    pushes_.pop_front();
    bytes_ -= push.body.size();
    if (push.watch->ended) continue;
    delivering_ = push.watch;
    deliverer_ = std::this_thread::get_id();
    lock.unlock();
    push.watch->on_push(push.body);
    lock.lock();
    delivering_.reset();
    deliverer_ = {};
    delivered_.notify_all();
  }
}

void PushQueue::wait_for_end_of(const std::shared_ptr<Watch>& ended, Lock& lock) {
  if (deliverer_ == std::this_thread::get_id()) return;
  delivered_.wait(lock, [&] { return delivering_ != ended; });
}

}  // namespace muster::client
