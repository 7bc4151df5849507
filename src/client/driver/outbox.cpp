#include "client/driver/outbox.hpp"

#include <algorithm>

namespace muster::client {

std::size_t Outbox::slices(Slices& slices) const {
  const std::size_t count = std::min(slices_max, frames_.size());
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t skip = i == 0 ? written_ : 0;
    slices[i].iov_base = const_cast<std::byte*>(frames_[i].data() + skip);
    slices[i].iov_len = frames_[i].size() - skip;
  }
  return count;
}

void Outbox::consume(std::size_t count) {
  written_ += count;
  while (!frames_.empty() && written_ >= frames_.front().size()) {
    written_ -= frames_.front().size();
    frames_.pop_front();
  }
}

}  // namespace muster::client
