#include "standard_output.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fmt/format.h>
#include <stdio_ext.h>
#include <utility>

namespace muster::tool {
namespace {

/// As errno has it. stdio keeps that there was an error, but not which.
int first_error = 0;

void note_error() {
  if (first_error == 0) first_error = errno;
}

}  // namespace

void put(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) note_error();
}

Result<void> flush_output() {
  if (std::fflush(stdout) != 0) note_error();
  const int error = std::exchange(first_error, 0);
  if (error == 0) return {};
  ::__fpurge(stdout);
  std::clearerr(stdout);
  return Error{.code = Code::system,
               .what = fmt::format("cannot write the output: {}", std::strerror(error))};
}

}  // namespace muster::tool
