#include <algorithm>
#include <cstring>
#include <utility>

#include <muster/parts.hpp>

#include "base/assert.hpp"

namespace muster {

Parts::Parts(std::span<const Bytes> parts) {
  std::size_t bytes = 0;
  for (const Bytes part : parts) bytes += part.size();
  buffer_.reserve(bytes);
  offsets_.reserve(parts.size() + 1);
  offsets_.push_back(0);
  for (const Bytes part : parts) {
    buffer_.insert(buffer_.end(), part.begin(), part.end());
    offsets_.push_back(buffer_.size());
  }
}

Parts::Parts(Value buffer, std::vector<std::size_t> offsets)
    : buffer_(std::move(buffer)), offsets_(std::move(offsets)) {
  MUSTER_ASSERT(std::ranges::is_sorted(offsets_));
  MUSTER_ASSERT(offsets_.empty() || offsets_.back() <= buffer_.size());
}

Bytes Parts::operator[](std::size_t index) const {
  MUSTER_ASSERT(index < size());
  return Bytes(buffer_).subspan(offsets_[index], offsets_[index + 1] - offsets_[index]);
}

Value Parts::take_single() && {
  MUSTER_ASSERT(size() == 1);
  const Bytes part = (*this)[0];
  const std::size_t length = part.size();
  if (length != 0) std::memmove(buffer_.data(), part.data(), length);
  buffer_.resize(length);
  offsets_.clear();
  return std::move(buffer_);
}

bool operator==(const Parts& a, const Parts& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (as_text(a[i]) != as_text(b[i])) return false;
  }
  return true;
}

}  // namespace muster
