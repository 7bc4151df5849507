/// \file
/// Which interfaces a user wants, in the words of NCCL's NCCL_SOCKET_IFNAME.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <muster/result.hpp>

namespace muster::net {

/// Value. A default-made one leaves the choice to the program.
///
///     eth,ib      interfaces whose names begin so, those of the first name first
///     =eth0,=ib0  exactly those; one '=' in front counts for the whole list
///     ^docker     all but those whose names begin so
///     ^=docker0   all but exactly that one
///
/// Behind it `:inet4` or `:inet6`: only addresses of that family.
struct InterfaceSpec {
  std::vector<std::string> names;
  bool exclude = false;
  bool exact = false;
  int family = 0;  ///< AF_INET, AF_INET6, or AF_UNSPEC: any

  /// `invalid_argument` says what was given and what is expected.
  static Result<InterfaceSpec> parse(std::string_view text);
  std::string text() const;

  /// How good a fit `name` is, 0 the best: the place in the list, an exact match before one of the
  /// beginning. Nothing if it is not wanted; always 0 for an excluding or an empty spec.
  std::optional<std::size_t> place_of(std::string_view name) const;
};

}  // namespace muster::net
