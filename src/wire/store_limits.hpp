/// \file
/// What keys and values may be, said by client and server in the same words.
#pragma once

#include <span>
#include <string_view>

#include <muster/bytes.hpp>
#include <muster/result.hpp>

#include "wire/many_messages.hpp"

namespace muster::wire {

/// `limit` for a key that is empty or too long.
Result<void> check_key(std::string_view key);
/// `limit` for a value that is too long; `key` is for the text.
Result<void> check_value(std::string_view key, Bytes value);

/// `limit` for a prefix that is longer than a key; the empty one is good.
Result<void> check_prefix(std::string_view prefix);
/// `limit` for too many keys, or one out of range.
Result<void> check_keys(std::span<const std::string_view> keys);
/// `limit` for too many entries, a key or value out of range, or too many bytes together.
Result<void> check_entries(std::span<const MultiSetRequest::Entry> entries);

}  // namespace muster::wire
