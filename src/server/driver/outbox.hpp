/// \file
/// Answers on their way to one peer: collected while events are worked through, written once a turn
/// of the loop, bodies that many peers share written from where they are.
#pragma once

#include <array>
#include <cstddef>
#include <sys/uio.h>
#include <vector>

#include <muster/bytes.hpp>

#include "server/core/actions.hpp"

namespace muster::server {

/// Resource; one thread.
class Outbox {
 public:
  static constexpr std::size_t slices_max = 64;
  using Slices = std::array<iovec, slices_max>;
  /// A shared body up to this size is copied: cheaper than one more slice to write.
  static constexpr std::size_t copied_bytes = 512;

  /// `bytes` are copied, `tail` is kept unless it is that small.
  void push(Bytes bytes, const Shared& tail);
  bool empty() const { return unwritten_bytes_ == 0; }
  /// What waits here, shared bodies counted in full.
  std::size_t unwritten_bytes() const { return unwritten_bytes_; }

  /// The room that an idle peer keeps for its next answer.
  std::size_t kept_bytes() const { return chunks_.empty() ? 0 : chunks_[0].bytes.capacity(); }

  /// The next bytes to write; returns how many slices there are.
  std::size_t slices(Slices& slices) const;
  /// `count` bytes have been written.
  void consume(std::size_t count);

 private:
  struct Chunk {  ///< own bytes, then those of the tail
    Value bytes;
    Shared tail;
    std::size_t size() const { return bytes.size() + (tail ? tail->size() : 0); }
  };
  void reset();

  std::vector<Chunk> chunks_;
  std::size_t first_ = 0;    ///< chunks before it are written
  std::size_t written_ = 0;  ///< of the first chunk
  std::size_t unwritten_bytes_ = 0;
};

}  // namespace muster::server
