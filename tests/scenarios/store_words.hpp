/// \file
/// The store in scenarios: requests from words, and what they are answered as words.
#pragma once

#include <optional>
#include <string>

#include <muster/bytes.hpp>

#include "wire/frame.hpp"
#include "words.hpp"

namespace muster::scenarios {

/// Value.
struct StoreMessage {
  wire::Type type{};
  Value body;
};

/// Nothing if the verb is none of the store's.
std::optional<StoreMessage> store_message(const Words& words);

/// The good answer to a request of `type`, or a change; nothing if that is none of the store's.
std::optional<std::string> show_store_answer(wire::Type type, Bytes body);

/// 'value', or its first bytes and how many more.
std::string show_bytes(Bytes bytes);

}  // namespace muster::scenarios
