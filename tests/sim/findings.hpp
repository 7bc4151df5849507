/// \file
/// What a run is found guilty of.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace muster::sim {

/// Value. `invariant` is one of the names that the headers of the checkers list.
struct Finding {
  std::string invariant;
  std::string how;
};

/// Resource. The first finding is what to look at; the others are mostly its consequence.
class Findings {
 public:
  void found(std::string_view invariant, std::string how) {
    constexpr std::size_t kept_max = 64;
    if (all_.size() < kept_max) all_.push_back({std::string(invariant), std::move(how)});
  }
  const std::vector<Finding>& all() const { return all_; }

 private:
  std::vector<Finding> all_;
};

}  // namespace muster::sim
