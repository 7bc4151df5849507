#include "job/failure_board.hpp"

#include <utility>

namespace muster {

void FailureBoard::report(const Failure& failure) {
  const std::lock_guard lock(mutex_);
  if (silent_ || failure_) return;
  failure_ = failure;
  if (handler_) handler_(failure);
}

void FailureBoard::set_handler(Handler handler) {
  const std::lock_guard lock(mutex_);
  handler_ = std::move(handler);
  if (!silent_ && failure_ && handler_) handler_(*failure_);
}

void FailureBoard::silence() {
  const std::lock_guard lock(mutex_);
  silent_ = true;
  handler_ = nullptr;
}

}  // namespace muster
