/// \file
/// Environment variables, read one after the other from wherever they are looked up.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <muster/deadline.hpp>
#include <muster/result.hpp>

namespace muster {

/// The value of a variable; nothing if it is not set. The text lives as long as the environment is
/// not changed.
using Lookup = std::function<std::optional<std::string_view>(const char* variable)>;

/// The process's own environment.
std::optional<std::string_view> look_up(const char* variable);

/// `variable` holds `given`, which is not what is expected.
Error bad_variable(std::string_view variable, std::string_view given, std::string expected);

/// Resource; one thread. Keeps the first thing that is wrong, and goes on reading. A variable that
/// is set and empty counts as not set.
class Variables {
 public:
  explicit Variables(Lookup look_up) : look_up_(std::move(look_up)) {}

  std::optional<std::string_view> text(const char* variable) const;
  bool has(const char* variable) const { return text(variable).has_value(); }
  /// A whole number from 0 to 2^32 - 1.
  std::optional<std::uint32_t> number(const char* variable);
  /// Leaves `into` as it is if the variable is not set.
  void seconds(const char* variable, Duration& into);

  /// The value as `parse`, which returns a Result, makes it; its error is named after the variable.
  template <class Parse>
  auto parsed(const char* variable, Parse parse)
      -> std::optional<std::decay_t<decltype(*parse(std::string_view{}))>> {
    const auto value = text(variable);
    if (!value) return std::nullopt;
    auto result = parse(*value);
    if (result) return *std::move(result);
    fail(variable, std::move(result).error());
    return std::nullopt;
  }

  void fail(Error error);
  const std::optional<Error>& problem() const { return problem_; }

 private:
  void fail(const char* variable, Error error);

  Lookup look_up_;
  std::optional<Error> problem_;
};

}  // namespace muster
