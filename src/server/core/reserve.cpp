#include "server/core/reserve.hpp"

#include <algorithm>

#include "base/limits.hpp"

namespace muster::server {

TimePoint answer_by(TimePoint now, std::uint32_t left_ms) {
  const Duration left = std::min<Duration>(std::chrono::milliseconds{left_ms}, limits::wait_max);
  return now + left - std::min<Duration>(limits::reserve_max, left / 4);
}

}  // namespace muster::server
