/// \file
/// Reads and writes the wire's primitives: little-endian integers, every byte written, and texts
/// and values behind their length. A reader never reads past its range and remembers that it would
/// have.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <muster/bytes.hpp>

#include "wire/little_endian.hpp"

namespace muster::wire {

/// Value. Reads a borrowed range from its front. After the first read past the end everything reads
/// as zero or empty and ok() is false, so a decoder may read all fields and ask once.
class Reader {
 public:
  explicit Reader(Bytes bytes) : left_(bytes) {}

  std::uint8_t u8() { return integer<std::uint8_t>(); }
  std::uint16_t u16() { return integer<std::uint16_t>(); }
  std::uint32_t u32() { return integer<std::uint32_t>(); }
  std::uint64_t u64() { return integer<std::uint64_t>(); }
  std::int32_t i32() { return static_cast<std::int32_t>(u32()); }
  std::int64_t i64() { return static_cast<std::int64_t>(u64()); }
  /// A byte that must be 0 or 1.
  bool boolean();
  /// The next `count` bytes, borrowed.
  Bytes bytes(std::size_t count) {
    if (count > left_.size()) return fail(), Bytes{};
    const Bytes taken = left_.first(count);
    left_ = left_.subspan(count);
    return taken;
  }
  /// u16 length, then bytes; borrowed.
  std::string_view text();
  /// u32 length, then bytes; borrowed.
  Bytes value();
  /// All that is left.
  Bytes rest() { return bytes(left_.size()); }

  std::size_t left() const { return left_.size(); }
  bool ok() const { return ok_; }
  /// Everything was read, nothing too much.
  bool done() const { return ok_ && left_.empty(); }
  /// For a decoder that finds a field out of range.
  void fail() { ok_ = false, left_ = {}; }

 private:
  template <std::unsigned_integral T>
  T integer() {
    if (left_.size() < sizeof(T)) return fail(), T{0};
    return get<T>(bytes(sizeof(T)).data());
  }

  Bytes left_;
  bool ok_ = true;
};

/// Appends to a buffer that outlives it.
class Writer {
 public:
  explicit Writer(Value& out) : out_(out) {}

  void u8(std::uint8_t number) { integers(number); }
  void u16(std::uint16_t number) { integers(number); }
  void u32(std::uint32_t number) { integers(number); }
  void u64(std::uint64_t number) { integers(number); }
  void i32(std::int32_t number) { integers(static_cast<std::uint32_t>(number)); }
  void i64(std::int64_t number) { integers(static_cast<std::uint64_t>(number)); }
  /// Several, each as wide as its type: one append for all of a message's fixed part, where each
  /// append costs as much as writing a dozen integers.
  template <std::unsigned_integral... T>
  void integers(T... numbers) {
    const std::size_t end = out_.size();
    out_.resize(end + (sizeof(T) + ...));
    std::byte* at = out_.data() + end;
    ((put(at, numbers), at += sizeof(T)), ...);
  }
  void boolean(bool value) { u8(value ? 1 : 0); }
  void bytes(Bytes raw) { out_.insert(out_.end(), raw.begin(), raw.end()); }
  /// u16 length, then at most 65,535 bytes: what is longer is cut.
  void text(std::string_view text);
  /// u32 length, then bytes; fewer than 2^32 of them.
  void value(Bytes raw);

  /// Makes room for `count` more bytes at once, without giving up growth by doubling.
  void room(std::size_t count) {
    if (out_.capacity() - out_.size() < count) {
      out_.reserve(std::max(out_.size() + count, 2 * out_.capacity()));
    }
  }

  Value& out() { return out_; }

 private:
  Value& out_;
};

}  // namespace muster::wire
