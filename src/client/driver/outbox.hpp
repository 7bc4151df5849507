/// \file
/// Frames on their way out, in order.
#pragma once

#include <array>
#include <cstddef>
#include <sys/uio.h>
#include <vector>

#include <muster/bytes.hpp>

namespace muster::client {

/// Resource; its owner guards it. What slices() points at stays where it is while frames are pushed
/// behind it, so one thread may write it while others push.
class Outbox {
 public:
  static constexpr std::size_t slices_max = 16;
  using Slices = std::array<iovec, slices_max>;

  void push(Value frame) { frames_.push_back(std::move(frame)); }
  bool empty() const { return first_ == frames_.size(); }
  /// The next bytes to write; returns how many slices there are.
  std::size_t slices(Slices& slices) const;
  /// `count` bytes have been written.
  void consume(std::size_t count);

 private:
  std::vector<Value> frames_;
  std::size_t first_ = 0;    ///< frames before it are written
  std::size_t written_ = 0;  ///< of the first frame
};

}  // namespace muster::client
