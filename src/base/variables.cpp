#include "base/variables.hpp"

#include <cstdlib>
#include <fmt/format.h>

#include "base/integer.hpp"
#include "base/limits.hpp"
#include "base/seconds.hpp"
#include "base/text.hpp"
#include "base/usage_error.hpp"

namespace muster {

std::optional<std::string_view> look_up(const char* variable) {
  const char* value = std::getenv(variable);
  if (value == nullptr) return std::nullopt;
  return std::string_view(value);
}

Error bad_variable(std::string_view variable, std::string_view given, std::string expected) {
  return usage_error(fmt::format("{} is {}", variable, quoted(given)), std::move(expected));
}

std::optional<std::string_view> Variables::text(const char* variable) const {
  const auto value = look_up_(variable);
  return value && !value->empty() ? value : std::nullopt;
}

std::optional<std::uint32_t> Variables::number(const char* variable) {
  const auto value = text(variable);
  if (!value) return std::nullopt;
  const auto parsed = parse_count<std::uint32_t>(*value);
  if (parsed) return parsed;
  fail(bad_variable(variable, *value, "expected a whole number, 0 or more"));
  return 0;  // set, if to nothing of use: nobody is to ask elsewhere
}

std::optional<int> Variables::descriptor(const char* variable) {
  const auto value = text(variable);
  if (!value) return std::nullopt;
  const auto parsed = parse_count<int>(*value);
  if (parsed && *parsed != 1 && *parsed != 2) return parsed;
  fail(bad_variable(variable, *value,
                    "expected the number of an open descriptor: 0, or 3 and more"));
  return std::nullopt;
}

void Variables::seconds(const char* variable, Duration& into) {
  const auto value = text(variable);
  if (!value) return;
  const auto parsed = parse_seconds(*value, limits::wait_max);
  if (!parsed || *parsed == Duration::zero()) {
    return fail(bad_variable(
        variable, *value,
        fmt::format("expected seconds, more than 0 and at most {}", to_seconds(limits::wait_max))));
  }
  into = *parsed;
}

bool Variables::at_most_one(const std::array<const char*, 3>& variables, const char* advice) {
  const char* set = nullptr;
  for (const char* one : variables) {
    if (!has(one)) continue;
    if (set != nullptr) {
      fail(usage_error(fmt::format("{} and {} are both set", set, one), advice));
      return false;
    }
    set = one;
  }
  return true;
}

void Variables::fail(Error error) {
  if (!problem_) problem_ = std::move(error);
}

void Variables::fail_named(const char* variable, Error error) {
  fail(named(variable, std::move(error)));
}

}  // namespace muster
