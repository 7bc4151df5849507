/// \file
/// The rows of the table.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "patterns.hpp"

namespace muster::bench {

/// Value. Muster's number is judged by its ratio to the floor's; without a floor, by itself;
/// without a target, not at all.
struct Measure {
  std::string name;
  std::string unit;
  std::optional<double> target;
  bool more_is_better;
  std::function<double(const Scale&)> floor;
  std::function<double(const Scale&)> muster;
};

std::vector<Measure> measures(bool tiny);

}  // namespace muster::bench
