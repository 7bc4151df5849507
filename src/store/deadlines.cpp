#include "store/deadlines.hpp"

namespace muster {

TimePoint resolve(const client::Caller& caller, Deadline deadline, TimePoint now) {
  return deadline.resolve(now, caller.session().operation_timeout);
}

TimePoint give_up(const client::Caller& caller, Deadline deadline) {
  const TimePoint now = caller.now();
  const TimePoint until = resolve(caller, deadline, now);
  return until > now ? until : client::with_grace(now, until);
}

}  // namespace muster
