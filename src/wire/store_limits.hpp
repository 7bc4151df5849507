/// \file
/// What keys and values may be, said by client and server in the same words.
#pragma once

#include <string_view>

#include <muster/bytes.hpp>
#include <muster/result.hpp>

namespace muster::wire {

/// `limit` for a key that is empty or too long.
Result<void> check_key(std::string_view key);
/// `limit` for a value that is too long; `key` is for the text.
Result<void> check_value(std::string_view key, Bytes value);

}  // namespace muster::wire
