#include "job/liveness.hpp"

#include <charconv>
#include <chrono>
#include <fmt/format.h>

#include "base/limits.hpp"
#include "base/text.hpp"

namespace muster {
namespace {

double seconds(Duration duration) {
  return std::chrono::duration<double>(duration).count();
}

Error no_heartbeat(std::string what) {
  return Error{
      .code = Code::invalid_argument,
      .what = std::move(what),
      .advice = fmt::format("expected {} to {} seconds, or 0 for none",
                            seconds(limits::heartbeat_min), seconds(limits::heartbeat_max)),
      .exit_code = 2};
}

}  // namespace

Result<void> check_heartbeat(Duration given) {
  const bool fits = given >= limits::heartbeat_min && given <= limits::heartbeat_max;
  if (given == Duration::zero() || fits) return {};
  return no_heartbeat(fmt::format("heartbeat is {} s", seconds(given)));
}

Result<Duration> parse_heartbeat(std::string_view text) {
  double parsed = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), parsed);
  const bool whole = error == std::errc{} && end == text.data() + text.size();
  // Written so that NaN is refused.
  if (!whole || !(parsed >= 0 && parsed <= seconds(limits::heartbeat_max))) {
    return no_heartbeat(quoted(text) + " is no heartbeat");
  }
  const auto given = std::chrono::duration_cast<Duration>(std::chrono::duration<double>(parsed));
  if (Result<void> fits = check_heartbeat(given); !fits) return std::move(fits).error();
  return given;
}

Result<OnLoss> parse_on_loss(std::string_view text) {
  if (text == "fail_job") return OnLoss::fail_job;
  if (text == "notify") return OnLoss::notify;
  return Error{.code = Code::invalid_argument,
               .what = quoted(text) + " is not what a lost rank can do to its job",
               .advice = "expected fail_job or notify",
               .exit_code = 2};
}

}  // namespace muster
