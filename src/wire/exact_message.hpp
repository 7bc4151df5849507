/// \file
/// For tests: what holds of every message that must fill its body exactly.
#pragma once

#include <cstddef>
#include <gtest/gtest.h>
#include <string>
#include <string_view>

#include <muster/bytes.hpp>
#include <muster/digest.hpp>

#include "base/hex.hpp"
#include "base/random.hpp"
#include "wire/notices.hpp"  // an encode() of types outside of wire must be seen before its use
#include "wire/status_messages.hpp"

namespace muster::wire {

/// "4d75 01 00" as bytes; spaces are for the reader.
inline Value from_spaced_hex(std::string_view spaced) {
  std::string digits;
  for (const char c : spaced) {
    if (c != ' ') digits += c;
  }
  Value bytes(digits.size() / 2);
  EXPECT_TRUE(from_hex(digits, bytes)) << spaced;
  return bytes;
}

/// The body that `message` encodes to. Also checks that an encoder only appends.
template <class Message>
Value body_of(const Message& message) {
  Value body;
  encode(message, body);
  Value behind = to_value("kept");
  encode(message, behind);
  EXPECT_EQ(as_text(behind), "kept" + std::string(as_text(body)));
  return body;
}

/// `body` decodes; no shorter piece of it does, nor does it with one byte more. Each piece is
/// decoded in a buffer of just its size, where a sanitizer sees a read past its end.
template <class Decode>
void expect_exact(const Value& body, Decode decode) {
  EXPECT_TRUE(decode(body));
  for (std::size_t length = 0; length < body.size(); ++length) {
    const Value piece(body.begin(), body.begin() + static_cast<std::ptrdiff_t>(length));
    EXPECT_FALSE(decode(piece)) << "the first " << length << " of " << body.size() << " bytes";
  }
  Value longer = body;
  longer.push_back(std::byte{0});
  EXPECT_FALSE(decode(longer)) << "one byte too many";
}

/// Noise, and `body` with bytes changed, must be taken or refused, never crash.
template <class Decode>
void survive_noise(const Value& body, Decode decode) {
  SeededRandom random(body.size());
  for (int i = 0; i < 2000; ++i) {
    Value noise(random.below(2 * body.size() + 8));
    random.fill(noise);
    decode(noise);
    Value changed = body;
    for (std::uint64_t n = 1 + random.below(3); n > 0 && !changed.empty(); --n) {
      changed[random.below(changed.size())] = static_cast<std::byte>(random.below(256));
    }
    decode(changed);
  }
}

}  // namespace muster::wire
