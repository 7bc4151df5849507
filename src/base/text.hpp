/// \file
/// Text that came from elsewhere, made fit to be shown.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include <muster/bytes.hpp>

namespace muster {

bool is_utf8(std::string_view text);

/// `text` as one printable line of at most `bytes_max` bytes: control characters and broken UTF-8
/// become '?', newlines become spaces, what is too long ends in "...".
std::string printable(std::string_view text, std::size_t bytes_max = 512);

/// A key or label as an error shows it: quoted, other than printable ASCII as \xNN, cut after 64
/// bytes; a unique id in it, which is secret, where it begins.
std::string quoted(std::string_view bytes);

/// "0-3, 7, 9-10" for {0, 1, 2, 3, 7, 9, 10}; more than `items_max` ranges end in "... (N in all)".
std::string rank_ranges(std::span<const std::uint32_t> ascending, std::size_t items_max = 16);

}  // namespace muster
