#include "server/driver/outbox.hpp"

namespace muster::server {
namespace {

/// An idle peer keeps no more room than this.
constexpr std::size_t kept_bytes_max = 512;
constexpr std::size_t kept_chunks_max = 4;

}  // namespace

void Outbox::push(Bytes bytes, const Shared& tail) {
  if (chunks_.size() == first_ || chunks_.back().tail) chunks_.emplace_back();
  Chunk& last = chunks_.back();
  last.bytes.insert(last.bytes.end(), bytes.begin(), bytes.end());
  if (tail && tail->size() <= copied_bytes) {
    last.bytes.insert(last.bytes.end(), tail->begin(), tail->end());
  } else {
    last.tail = tail;
  }
  unwritten_bytes_ += bytes.size() + (tail ? tail->size() : 0);
}

std::size_t Outbox::slices(Slices& slices) const {
  std::size_t count = 0;
  std::size_t skip = written_;
  const auto add = [&](const Value& from) {
    if (skip >= from.size()) {
      skip -= from.size();
      return;
    }
    slices[count].iov_base = const_cast<std::byte*>(from.data() + skip);
    slices[count++].iov_len = from.size() - skip;
    skip = 0;
  };
  for (std::size_t i = first_; i < chunks_.size() && count + 2 <= slices_max; ++i) {
    add(chunks_[i].bytes);
    if (chunks_[i].tail) add(*chunks_[i].tail);
  }
  return count;
}

void Outbox::consume(std::size_t count) {
  unwritten_bytes_ -= count;
  if (unwritten_bytes_ == 0) return reset();
  written_ += count;
  while (written_ >= chunks_[first_].size()) {
    written_ -= chunks_[first_].size();
    chunks_[first_++] = {};
  }
}

void Outbox::reset() {
  first_ = 0;
  written_ = 0;
  if (chunks_.size() > kept_chunks_max || kept_bytes() > kept_bytes_max) {
    std::vector<Chunk>().swap(chunks_);
    return;
  }
  // The first chunk keeps its room, so that the steady state allocates nothing.
  chunks_.resize(1);
  chunks_[0].bytes.clear();
  chunks_[0].tail.reset();
  // An empty chunk is not offered: push() writes into it.
}

}  // namespace muster::server
