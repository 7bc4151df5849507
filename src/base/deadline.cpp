#include <muster/deadline.hpp>

namespace muster {
namespace {

TimePoint later(TimePoint now, Duration by) {
  if (by <= Duration::zero()) return now;
  return now > TimePoint::max() - by ? TimePoint::max() : now + by;
}

}  // namespace

Deadline Deadline::at(TimePoint when) {
  Deadline deadline;
  deadline.at_ = when;
  return deadline;
}

Deadline Deadline::in(Duration from_now) {
  Deadline deadline;
  deadline.in_ = from_now;
  return deadline;
}

TimePoint Deadline::resolve(TimePoint now, Duration standard) const {
  if (at_) return *at_;
  return later(now, in_.value_or(standard));
}

}  // namespace muster
