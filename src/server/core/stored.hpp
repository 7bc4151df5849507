/// \file
/// What is under one key.
#pragma once

#include <memory>

#include <muster/bytes.hpp>

#include "server/core/actions.hpp"

namespace muster::server {

/// Value; a copy is cheap. A small value lies in a buffer that is used again, a large one is shared
/// with the answers that carry it, which never change under them.
class Stored {
 public:
  void assign(Bytes value);
  /// Copies what is there only to grow, or when an answer still holds it: many appends cost no more
  /// than what they append.
  void append(Bytes value);
  Bytes bytes() const { return shared_ ? Bytes(*shared_) : Bytes(small_); }
  /// Null for a small value.
  Shared shared() const { return shared_; }

  /// From here on a value is shared instead of copied into each answer.
  static constexpr std::size_t shared_bytes_min = 256;

 private:
  Value small_;
  std::shared_ptr<Value> shared_;
};

}  // namespace muster::server
