#include "job/variables.hpp"

#include <charconv>
#include <cstdlib>
#include <fmt/format.h>

#include "base/limits.hpp"
#include "base/text.hpp"

namespace muster {

std::optional<std::string_view> look_up(const char* variable) {
  const char* value = std::getenv(variable);
  if (value == nullptr) return std::nullopt;
  return std::string_view(value);
}

Error bad_variable(std::string_view variable, std::string_view given, std::string expected) {
  return Error{.code = Code::invalid_argument,
               .what = fmt::format("{} is {}", variable, quoted(given)),
               .advice = std::move(expected),
               .exit_code = 2};
}

std::optional<std::string_view> Variables::text(const char* variable) const {
  const auto value = look_up_(variable);
  return value && !value->empty() ? value : std::nullopt;
}

std::optional<std::uint32_t> Variables::number(const char* variable) {
  const auto value = text(variable);
  if (!value) return std::nullopt;
  std::uint32_t parsed = 0;
  const auto [end, error] = std::from_chars(value->begin(), value->end(), parsed);
  if (error != std::errc{} || end != value->end()) {
    fail(bad_variable(variable, *value, "expected a whole number, 0 or more"));
  }
  return parsed;
}

void Variables::seconds(const char* variable, Duration& into) {
  const auto value = text(variable);
  if (!value) return;
  double parsed = 0;
  const auto [end, error] = std::from_chars(value->begin(), value->end(), parsed);
  const double most = std::chrono::duration<double>(limits::wait_max).count();
  // Written so that NaN is refused.
  if (error != std::errc{} || end != value->end() || !(parsed > 0 && parsed <= most)) {
    return fail(bad_variable(variable, *value,
                             fmt::format("expected seconds, more than 0 and at most {}", most)));
  }
  into = std::chrono::duration_cast<Duration>(std::chrono::duration<double>(parsed));
}

void Variables::fail(Error error) {
  if (!problem_) problem_ = std::move(error);
}

void Variables::fail(const char* variable, Error error) {
  error.what = fmt::format("{}: {}", variable, error.what);
  error.exit_code = 2;
  fail(std::move(error));
}

}  // namespace muster
