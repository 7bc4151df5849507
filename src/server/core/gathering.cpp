#include "server/core/gathering.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "server/core/reserve.hpp"
#include "server/core/wording.hpp"

namespace muster::server {

void Gathering::admitted(TimePoint now, std::uint32_t left_ms) {
  if (!began_) began_ = now;
  const TimePoint deadline = answer_by(now, left_ms);
  deadline_ = deadline_ ? std::min(*deadline_, deadline) : deadline;
}

Failure Gathering::missing(const Roster& roster, TimePoint now) const {
  const Ranks absent = roster.all(State::absent);
  Failure failure{
      .code = Code::rank_missing,
      .reason = fmt::format("{} of {} ranks did not join within {}: {}", absent.size(),
                            roster.size(), seconds_text(now - *began_), ranks_text(absent)),
      .advice =
          "see whether these ranks were started and can reach the server, or raise the join "
          "time-out",
      .who = roster.names(absent)};
  for (RankName& name : failure.who) name.detail = "has not joined";
  return failure;
}

}  // namespace muster::server
