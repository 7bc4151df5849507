/// \file
/// What a collective gives: the parts that the ranks brought, in one buffer.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <span>
#include <vector>

#include <muster/bytes.hpp>
#include <muster/export.hpp>

namespace muster {

/// Value. An ordered list of byte ranges that stand one after the other in one owned buffer, so
/// that a collective of many ranks costs no allocation a rank. What is handed out is borrowed: it
/// lives as long as the Parts that it came from, also when these are moved, and not longer.
class MUSTER_API Parts {
 public:
  using value_type = Bytes;

  /// No parts.
  Parts() = default;
  /// Copies.
  explicit Parts(std::span<const Bytes> parts);
  Parts(std::initializer_list<Bytes> parts) : Parts(std::span(parts.begin(), parts.size())) {}
  /// Takes over `buffer`. Part i stands in it from `offsets[i]` up to `offsets[i + 1]`: one offset
  /// more than there are parts, ascending, the last one within the buffer.
  Parts(Value buffer, std::vector<std::size_t> offsets);

  std::size_t size() const { return offsets_.empty() ? 0 : offsets_.size() - 1; }
  bool empty() const { return size() == 0; }
  /// `index` must be less than size().
  Bytes operator[](std::size_t index) const;

  /// The one part there is, as a buffer of its own, without a new allocation.
  Value take_single() &&;

  /// Value. Goes from part to part.
  class Iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = Bytes;
    using difference_type = std::ptrdiff_t;
    using pointer = void;
    using reference = Bytes;

    Iterator() = default;
    Iterator(const Parts* parts, std::size_t index) : parts_(parts), index_(index) {}
    Bytes operator*() const { return (*parts_)[index_]; }
    Iterator& operator++() {
      ++index_;
      return *this;
    }
    Iterator operator++(int) { return {parts_, index_++}; }
    bool operator==(const Iterator&) const = default;

   private:
    const Parts* parts_ = nullptr;
    std::size_t index_ = 0;
  };
  Iterator begin() const { return {this, 0}; }
  Iterator end() const { return {this, size()}; }

  /// The same parts, byte by byte; how they stand in their buffers makes no difference.
  MUSTER_API friend bool operator==(const Parts& a, const Parts& b);

 private:
  Value buffer_;
  std::vector<std::size_t> offsets_;  ///< one more than there are parts; or none
};

}  // namespace muster
