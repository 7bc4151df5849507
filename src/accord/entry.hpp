/// \file
/// One entry of a contract: its types, what is valid, how it is hashed and shown. Pure; any thread.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include <muster/contract.hpp>
#include <muster/digest.hpp>
#include <muster/ids.hpp>

namespace muster::accord {

/// What a value is. The numbers are hashed and on the wire: never reused, never changed.
enum class Type : std::uint8_t {
  integer = 1,  ///< 8 bytes, two's complement
  real = 2,     ///< 8 bytes, binary64, finite, never -0.0
  boolean = 3,  ///< 1 byte, 0 or 1
  text = 4,     ///< UTF-8
  blob = 5,     ///< any bytes
};

/// "integer", ...; "unknown" for a number that is none.
const char* type_name(std::uint8_t type);

/// 1 to 128 printable ASCII characters, no space.
bool is_entry_name(std::string_view name);

/// `bytes` is a value that an entry of `type` may have, in its one form, and within the limit.
bool is_entry_value(std::uint8_t type, Bytes bytes);

/// What the entry takes of a contract's canonical bytes.
std::size_t canonical_bytes(const Contract::Entry& entry);

/// SHA-256 of name, type and value, bound to the epoch: the same entry has another digest in
/// another job state, and under another name. Without the value's bytes it says whether two are
/// equal.
Digest entry_digest(const Epoch& epoch, const Contract::Entry& entry);

/// Value. What of an entry a fingerprint is made of.
struct Commitment {
  std::string_view name;
  std::uint8_t type = 0;
  Digest digest{};  ///< entry_digest()
};

/// A contract's fingerprint, its entries in order of name. It takes digests, not values, so whoever
/// was shown no value can check it all the same.
Digest fingerprint_of(const Epoch& epoch, std::span<const Commitment> commitments);

/// The value as an error shows it, on one line and cut to some 64 characters.
std::string shown_value(std::uint8_t type, Bytes value);

}  // namespace muster::accord
