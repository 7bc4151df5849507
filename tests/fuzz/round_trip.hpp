/// \file
/// What must hold of a message that could be decoded.
#pragma once

#include <algorithm>

#include "base/assert.hpp"
#include "wire/notices.hpp"  // an encode() of types outside of wire must be seen before its use
#include "wire/status_messages.hpp"

namespace muster::wire {

/// `body` is an encoding whose message is `message`: encoded again it must be the same bytes.
template <class Message>
void must_encode_to(Bytes body, const Message& message) {
  Value again;
  encode(message, again);
  MUSTER_ASSERT(std::ranges::equal(again, body));
}

/// For messages whose texts are made printable when they are decoded: what was read once is read
/// again just so.
template <class Message, class Decode>
void must_come_back(const Message& message, Decode decode) {
  Value again;
  encode(message, again);
  const auto read = decode(again);
  MUSTER_ASSERT(read.has_value());
  must_encode_to(again, *read);
}

}  // namespace muster::wire
