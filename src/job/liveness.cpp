#include "job/liveness.hpp"

#include <fmt/format.h>

#include "base/limits.hpp"
#include "base/seconds.hpp"
#include "base/text.hpp"
#include "base/usage_error.hpp"

namespace muster {
namespace {

Error no_heartbeat(std::string what) {
  return usage_error(std::move(what), fmt::format("expected {} to {} seconds, or 0 for none",
                                                  to_seconds(limits::heartbeat_min),
                                                  to_seconds(limits::heartbeat_max)));
}

}  // namespace

Result<void> check_heartbeat(Duration given) {
  const bool fits = given >= limits::heartbeat_min && given <= limits::heartbeat_max;
  if (given == Duration::zero() || fits) return {};
  return no_heartbeat(fmt::format("heartbeat is {} s", to_seconds(given)));
}

Result<Duration> parse_heartbeat(std::string_view text) {
  const auto given = parse_seconds(text, limits::heartbeat_max);
  if (!given) return no_heartbeat(quoted(text) + " is no heartbeat");
  if (Result<void> fits = check_heartbeat(*given); !fits) return std::move(fits).error();
  return *given;
}

Result<OnLoss> parse_on_loss(std::string_view text) {
  if (text == "fail_job") return OnLoss::fail_job;
  if (text == "notify") return OnLoss::notify;
  return usage_error(quoted(text) + " is not what a lost rank can do to its job",
                     "expected fail_job or notify");
}

}  // namespace muster
