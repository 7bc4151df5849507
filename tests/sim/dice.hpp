/// \file
/// What a seed decides, draw by draw.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <muster/deadline.hpp>

#include "base/random.hpp"

namespace muster::sim {

/// Resource; one thread. The same seed gives the same draws on every machine.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : random_(seed) {}

  /// For what takes a Random.
  Random& random() { return random_; }
  std::uint64_t next() { return random_.next(); }

  /// Uniform, both ends included.
  std::uint64_t between(std::uint64_t least, std::uint64_t most) {
    return least + random_.below(most - least + 1);
  }
  Duration between(Duration least, Duration most) {
    return least + Duration{static_cast<Duration::rep>(
                       random_.below(static_cast<std::uint64_t>((most - least).count()) + 1))};
  }
  /// True `percent` times of a hundred.
  bool percent(unsigned percent) { return random_.below(100) < percent; }

  template <class T>
  const T& one_of(const std::vector<T>& choices) {
    return choices[random_.below(choices.size())];
  }
  template <class T>
  void shuffle(std::vector<T>& items) {
    for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[random_.below(i)]);
  }

 private:
  SeededRandom random_;
};

}  // namespace muster::sim
