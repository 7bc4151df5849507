#include "server/core/stored.hpp"

#include <algorithm>

#include "base/limits.hpp"

namespace muster::server {
namespace {

/// A short value may keep so much room, so that one that is set anew and anew allocates nothing.
constexpr std::size_t room_kept = 64;

}  // namespace

void Stored::assign(Bytes value) {
  if (value.size() >= shared_bytes_min) {
    shared_ = std::make_shared<Value>(value.begin(), value.end());
    Value().swap(small_);
  } else {
    // What the quota counts is the value, not the room that a longer one before it had.
    if (small_.capacity() > 2 * value.size() + room_kept) Value().swap(small_);
    small_.assign(value.begin(), value.end());
    shared_.reset();
  }
}

void Stored::append(Bytes value) {
  const std::size_t size = bytes().size() + value.size();
  if (size < shared_bytes_min) {
    small_.insert(small_.end(), value.begin(), value.end());
    return;
  }
  const bool alone = shared_ && shared_.use_count() == 1;
  if (!alone || shared_->capacity() < size) {
    auto grown = std::make_shared<Value>();
    grown->reserve(std::max(size, std::min(2 * size, limits::value_bytes_max)));
    grown->insert(grown->end(), bytes().begin(), bytes().end());
    shared_ = std::move(grown);
    Value().swap(small_);
  }
  shared_->insert(shared_->end(), value.begin(), value.end());
}

}  // namespace muster::server
