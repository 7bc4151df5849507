/// \file
/// SHA-256 and the text form of digests and tokens (FIPS 180-4).
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include <muster/bytes.hpp>
#include <muster/export.hpp>

namespace muster {

/// Value. A SHA-256 digest, or a token made of one.
using Digest = std::array<std::byte, 32>;

/// SHA-256 of `bytes`.
MUSTER_API Digest sha256(Bytes bytes);

/// Lower-case hexadecimal, two digits a byte.
MUSTER_API std::string to_hex(Bytes bytes);

}  // namespace muster
