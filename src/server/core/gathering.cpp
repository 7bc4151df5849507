#include "server/core/gathering.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "base/limits.hpp"
#include "server/core/reserve.hpp"
#include "server/core/wording.hpp"

namespace muster::server {

void Gathering::admitted(TimePoint now, std::uint32_t left_ms) {
  if (!began_) {
    began_ = now;
    line_at_ = now + limits::gathering_line_period;
  }
  const TimePoint deadline = answer_by(now, left_ms);
  deadline_ = deadline_ ? std::min(*deadline_, deadline) : deadline;
}

std::optional<TimePoint> Gathering::next() const {
  if (!deadline_) return std::nullopt;
  return std::min(*deadline_, *line_at_);
}

bool Gathering::line_due(TimePoint now) {
  if (!line_at_ || *line_at_ > now) return false;
  line_at_ = now + limits::gathering_line_period;
  return true;
}

Failure Gathering::missing(const Roster& roster, std::uint32_t seekers, TimePoint now) const {
  const Ranks absent = roster.all(State::absent);
  if (seekers != 0) {
    return Failure{
        .code = Code::rank_missing,
        .reason = fmt::format(
            "{} of {} processes did not join within {}; {} that did wait to be given one of {}",
            absent.size() - seekers, roster.size(), seconds_text(elapsed(now)), seekers,
            ranks_text(absent)),
        .advice =
            "see whether all processes were started and can reach the server, or raise the "
            "join time-out"};
  }
  Failure failure{
      .code = Code::rank_missing,
      .reason = fmt::format("{} of {} ranks did not join within {}: {}", absent.size(),
                            roster.size(), seconds_text(elapsed(now)), ranks_text(absent)),
      .advice =
          "see whether these ranks were started and can reach the server, or raise the join "
          "time-out",
      .who = roster.names(absent)};
  for (RankName& name : failure.who) name.detail = "has not joined";
  return failure;
}

}  // namespace muster::server
