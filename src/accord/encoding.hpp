/// \file
/// The encodings of the accord layer: big-endian integers and binary64 images, byte strings behind
/// a four-byte length, labels that separate the domains of digests (docs/reference/formats.md).
#pragma once

#include <bit>
#include <concepts>
#include <cstdint>
#include <limits>
#include <string_view>
#include <utility>

#include <muster/bytes.hpp>
#include <muster/digest.hpp>
#include <muster/ids.hpp>

#include "base/assert.hpp"

namespace muster::accord {

/// Value. Collects bytes.
class Encoder {
 public:
  Encoder() = default;
  /// Starts with a domain: the label and one zero byte.
  explicit Encoder(std::string_view label) { bytes(as_bytes(label)).u8(0); }

  Encoder& u8(std::uint8_t number) { return integer(number); }
  Encoder& u32(std::uint32_t number) { return integer(number); }
  Encoder& u64(std::uint64_t number) { return integer(number); }
  /// The image of `number` as it is: who wants -0.0 to be 0.0 says so before.
  Encoder& real(double number) { return u64(std::bit_cast<std::uint64_t>(number)); }
  Encoder& bytes(Bytes raw) {
    out_.insert(out_.end(), raw.begin(), raw.end());
    return *this;
  }
  Encoder& sized(Bytes raw) {
    MUSTER_ASSERT(raw.size() <= std::numeric_limits<std::uint32_t>::max());
    return u32(static_cast<std::uint32_t>(raw.size())).bytes(raw);
  }
  Encoder& epoch(const Epoch& epoch) { return bytes(epoch.bytes); }

  Digest digest() const { return sha256(out_); }
  /// What was collected; the encoder is empty then.
  Value take() { return std::exchange(out_, {}); }

 private:
  template <std::unsigned_integral T>
  Encoder& integer(T number) {
    for (int shift = 8 * sizeof(T) - 8; shift >= 0; shift -= 8) {
      out_.push_back(static_cast<std::byte>(static_cast<std::uint64_t>(number) >> shift));
    }
    return *this;
  }

  Value out_;
};

/// Value. Reads a borrowed range from its front. After the first read past the end everything reads
/// as zero or empty and ok() is false, so a caller may read several fields and ask once.
class Decoder {
 public:
  explicit Decoder(Bytes bytes) : left_(bytes) {}

  std::uint8_t u8() { return integer<std::uint8_t>(); }
  std::uint32_t u32() { return integer<std::uint32_t>(); }
  std::uint64_t u64() { return integer<std::uint64_t>(); }
  Bytes bytes(std::size_t count) {
    if (!ok_ || count > left_.size()) {
      ok_ = false;
      return {};
    }
    const Bytes front = left_.first(count);
    left_ = left_.subspan(count);
    return front;
  }
  Bytes sized() { return bytes(u32()); }

  bool ok() const { return ok_; }
  std::size_t left() const { return left_.size(); }

 private:
  template <std::unsigned_integral T>
  T integer() {
    std::uint64_t number = 0;
    for (const std::byte byte : bytes(sizeof(T))) {
      number = number << 8 | static_cast<std::uint64_t>(byte);
    }
    return static_cast<T>(number);
  }

  Bytes left_;
  bool ok_ = true;
};

}  // namespace muster::accord
