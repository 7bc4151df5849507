#include <charconv>
#include <cstdlib>
#include <fmt/format.h>
#include <string>
#include <string_view>

#include <muster/join_options.hpp>

#include "base/limits.hpp"
#include "base/text.hpp"
#include "net/url.hpp"

namespace muster {
namespace {

Error invalid(std::string_view variable, std::string_view given, std::string expected) {
  return Error{.code = Code::invalid_argument,
               .what = fmt::format("{} is {}", variable, quoted(given)),
               .advice = std::move(expected),
               .exit_code = 2};
}

/// Reads variables one after the other and keeps the first thing that is wrong.
class Environment {
 public:
  /// Set and not empty.
  std::optional<std::string_view> text(const char* variable) {
    const char* value = std::getenv(variable);
    if (value == nullptr || *value == '\0') return std::nullopt;
    return std::string_view(value);
  }

  std::string_view needed(const char* variable, const char* advice) {
    const auto value = text(variable);
    if (!value) {
      fail(Error{.code = Code::invalid_argument,
                 .what = fmt::format("{} is not set", variable),
                 .advice = advice,
                 .exit_code = 2});
    }
    return value.value_or("");
  }

  std::optional<std::uint32_t> number(const char* variable) {
    const auto value = text(variable);
    if (!value) return std::nullopt;
    std::uint32_t parsed = 0;
    const auto [end, error] = std::from_chars(value->begin(), value->end(), parsed);
    if (error != std::errc{} || end != value->end()) {
      fail(invalid(variable, *value, "expected a whole number, 0 or more"));
    }
    return parsed;
  }

  void seconds(const char* variable, Duration& into) {
    const auto value = text(variable);
    if (!value) return;
    double parsed = 0;
    const auto [end, error] = std::from_chars(value->begin(), value->end(), parsed);
    const double most = std::chrono::duration<double>(limits::wait_max).count();
    // Written so that NaN is refused.
    if (error != std::errc{} || end != value->end() || !(parsed > 0 && parsed <= most)) {
      return fail(invalid(variable, *value,
                          fmt::format("expected seconds, more than 0 and at most {}", most)));
    }
    into = std::chrono::duration_cast<Duration>(std::chrono::duration<double>(parsed));
  }

  /// The value as `parse` makes it; its error is named after the variable.
  template <class Parse>
  auto parsed(const char* variable, Parse parse)
      -> std::optional<std::decay_t<decltype(*parse(std::string_view{}))>> {
    const auto value = text(variable);
    if (!value) return std::nullopt;
    auto result = parse(*value);
    if (result) return *std::move(result);
    Error error = std::move(result).error();
    error.what = fmt::format("{}: {}", variable, error.what);
    error.exit_code = 2;
    fail(std::move(error));
    return std::nullopt;
  }

  void fail(Error error) {
    if (!problem_) problem_ = std::move(error);
  }
  const std::optional<Error>& problem() const { return problem_; }

 private:
  std::optional<Error> problem_;
};

Result<Serve> parse_serve(std::string_view text) {
  if (text == "rank0") return Serve::by_rank_0;
  if (text == "external") return Serve::external;
  return Error{.code = Code::invalid_argument,
               .what = quoted(text) + " is not who can serve",
               .advice = "expected rank0 or external"};
}

Result<LogLevel> parse_level(std::string_view text) {
  if (const auto level = parse_log_level(text)) return *level;
  return Error{.code = Code::invalid_argument,
               .what = quoted(text) + " is no log level",
               .advice = "expected error, warning, info or debug"};
}

Result<std::string> parse_job(std::string_view text) {
  if (Result<void> good = check_job_id(text); !good) return std::move(good).error();
  return std::string(text);
}

}  // namespace

Result<JoinOptions> JoinOptions::from_environment() {
  Environment environment;
  JoinOptions options;
  options.url = environment.needed(
      "MUSTER_URL", "start the process with `muster run`, or say where the job is served");
  environment.needed("MUSTER_RANK", "set it to this process's number, from 0");
  environment.needed("MUSTER_SIZE", "set it to the count of processes");
  options.rank = environment.number("MUSTER_RANK");
  options.size = environment.number("MUSTER_SIZE");
  environment.parsed("MUSTER_URL", net::Url::parse);
  if (options.rank && options.size && *options.rank >= *options.size) {
    environment.fail(
        invalid("MUSTER_RANK", std::to_string(*options.rank),
                fmt::format("expected less than MUSTER_SIZE, which is {}", *options.size)));
  }
  if (const auto serve = environment.parsed("MUSTER_SERVE", parse_serve)) options.serve = *serve;
  if (auto job = environment.parsed("MUSTER_JOB", parse_job)) options.job_id = *std::move(job);
  options.incarnation = environment.parsed("MUSTER_INCARNATION", Incarnation::parse);
  options.epoch = environment.parsed("MUSTER_EPOCH", Epoch::parse);
  environment.seconds("MUSTER_JOIN_TIMEOUT", options.join_timeout);
  environment.seconds("MUSTER_OP_TIMEOUT", options.operation_timeout);
  if (const auto level = environment.parsed("MUSTER_LOG", parse_level)) {
    options.log = log_to_stderr(*level);
  }
  if (const auto fd = environment.number("MUSTER_LISTEN_FD")) {
    options.listen_fd = static_cast<int>(*fd);
  }
  if (environment.problem()) return *environment.problem();
  return options;
}

}  // namespace muster
