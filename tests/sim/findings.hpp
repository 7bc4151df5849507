/// \file
/// What a run is found guilty of.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace muster::sim {

/// Resource. Keeps the first finding: what follows is mostly its consequence.
class Findings {
 public:
  void found(std::string_view invariant, std::string_view how) {
    if (!first_) first_ = std::string(invariant) + ": " + std::string(how);
  }
  const std::optional<std::string>& first() const { return first_; }

 private:
  std::optional<std::string> first_;
};

}  // namespace muster::sim
