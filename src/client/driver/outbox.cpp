#include "client/driver/outbox.hpp"

#include <algorithm>

namespace muster::client {

std::size_t Outbox::slices(Slices& slices) const {
  const std::size_t count = std::min(slices_max, frames_.size() - first_);
  for (std::size_t i = 0; i < count; ++i) {
    const Value& frame = frames_[first_ + i];
    const std::size_t skip = i == 0 ? written_ : 0;
    slices[i].iov_base = const_cast<std::byte*>(frame.data() + skip);
    slices[i].iov_len = frame.size() - skip;
  }
  return count;
}

void Outbox::consume(std::size_t count) {
  written_ += count;
  while (!empty() && written_ >= frames_[first_].size()) {
    written_ -= frames_[first_].size();
    Value().swap(frames_[first_++]);
  }
  if (empty()) {
    frames_.clear();
    first_ = 0;
  } else if (first_ > frames_.size() / 2) {
    // What is left moves at most once for each that was written.
    frames_.erase(frames_.begin(), frames_.begin() + static_cast<std::ptrdiff_t>(first_));
    first_ = 0;
  }
}

}  // namespace muster::client
