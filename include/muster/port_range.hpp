/// \file
/// Ports that a site lets through, or that the jobs of a program share out.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <muster/export.hpp>
#include <muster/result.hpp>

namespace muster {

/// Value. Ports, both ends among them.
struct PortRange {
  std::uint16_t first = 0;
  std::uint16_t last = 0;

  /// "29400:29499"; 1 to 65535, the first not above the last.
  MUSTER_API static Result<PortRange> parse(std::string_view text);
  MUSTER_API std::string text() const;
  bool operator==(const PortRange&) const = default;
};

}  // namespace muster
