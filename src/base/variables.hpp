/// \file
/// Environment variables, read one after the other from wherever they are looked up.
#pragma once

#include <array>
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
  /// An inherited descriptor to read from: 1 and 2 are for writing.
  std::optional<int> descriptor(const char* variable);
  /// Leaves `into` as it is if the variable is not set.
  void seconds(const char* variable, Duration& into);

  /// The value as `parse`, which returns a Result, makes it; its error is named after the variable.
  template <class Parse>
  auto parsed(const char* variable, Parse parse)
      -> std::optional<std::decay_t<decltype(*parse(std::string_view{}))>> {
    const auto value = text(variable);
    if (!value) return std::nullopt;
    return good(variable, parse(*value));
  }

  /// A T that no argument may show: the file of `name`_FILE holds it, the descriptor of `name`_FD,
  /// or `name` itself. Two of them set are an error, with `advice`.
  template <class T, class Parse>
  std::optional<T> confided(const std::string& name, Parse parse, const char* advice) {
    const std::string file = name + "_FILE";
    const std::string fd = name + "_FD";
    if (!at_most_one({file.c_str(), fd.c_str(), name.c_str()}, advice)) return std::nullopt;
    if (const auto path = text(file.c_str())) {
      return good(file.c_str(), T::from_file(std::string(*path)));
    }
    if (const auto number = descriptor(fd.c_str())) return good(fd.c_str(), T::from_fd(*number));
    return parsed(name.c_str(), parse);
  }

  void fail(Error error);
  const std::optional<Error>& problem() const { return problem_; }

 private:
  template <class T>
  std::optional<T> good(const char* variable, Result<T> result) {
    if (result) return *std::move(result);
    fail_named(variable, std::move(result).error());
    return std::nullopt;
  }

  bool at_most_one(const std::array<const char*, 3>& variables, const char* advice);
  void fail_named(const char* variable, Error error);

  Lookup look_up_;
  std::optional<Error> problem_;
};

}  // namespace muster
