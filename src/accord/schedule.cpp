#include "accord/schedule.hpp"

#include <cfloat>
#include <cmath>

#include "accord/encoding.hpp"

#ifdef __FAST_MATH__
#error "the schedule needs IEEE-754 arithmetic: build without -ffast-math"
#endif
static_assert(FLT_EVAL_METHOD == 0, "the schedule needs arithmetic in binary64, not wider");

namespace muster::f332 {

Digest schedule_digest(const Epoch& epoch, std::uint64_t generation) {
  return accord::Encoder("symcc-cluster-lock-renewal-jitter-v1")
      .epoch(epoch)
      .u64(generation)
      .digest();
}

double delay_from_digest(const Digest& digest, double interval, double jitter) {
  const double end = interval * (1.0 + jitter);
  // Without a number between the interval and the end there is nothing to choose from.
  if (interval == 0 || jitter == 0 || end == interval) return interval;

  // 53 bits, not 64: those divide exactly, and the quotient stays below 1.
  const std::uint64_t top = accord::Decoder(digest).u64() >> 11;
  const double unit = static_cast<double>(top) / 0x1p53;
  const double spread = jitter * unit;
  const double factor = 1.0 + spread;
  const double delay = interval * factor;
  // The last product can round up to the end, which is excluded.
  return delay >= end ? std::nextafter(end, interval) : delay;
}

}  // namespace muster::f332
