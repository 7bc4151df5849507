#include "base/usage_error.hpp"

#include <fmt/format.h>
#include <utility>

namespace muster {
namespace {

constexpr int exit_usage = 2;

}  // namespace

Error usage_error(std::string what, std::string advice) {
  return Error{.code = Code::invalid_argument,
               .what = std::move(what),
               .advice = std::move(advice),
               .exit_code = exit_usage};
}

Error named(std::string_view setting, Error error) {
  error.what = fmt::format("{}: {}", setting, error.what);
  if (error.code == Code::invalid_argument) error.exit_code = exit_usage;
  return error;
}

}  // namespace muster
