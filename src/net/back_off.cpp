#include "net/back_off.hpp"

#include <algorithm>
#include <chrono>

namespace muster::net {

using namespace std::chrono_literals;

BackOff::BackOff(std::uint32_t size)
    : BackOff(1ms, std::clamp<Duration>(std::int64_t{size} * 20us, 10ms, 250ms)) {}

Duration BackOff::next(Random& random) {
  const Duration half = now_ / 2;
  const auto span = static_cast<std::uint64_t>(half.count()) + 1;
  const Duration wait = half + Duration(static_cast<Duration::rep>(random.below(span)));
  now_ = std::min(2 * now_, most_);
  return wait;
}

}  // namespace muster::net
