#include "net/activation.hpp"

#include <cstdlib>
#include <fcntl.h>
#include <string_view>
#include <unistd.h>

#include "base/integer.hpp"
#include "base/usage_error.hpp"
#include "base/variables.hpp"
#include "net/address.hpp"

namespace muster::net {
namespace {

constexpr int first_fd = 3;  // SD_LISTEN_FDS_START

}  // namespace

Result<std::optional<int>> activated_socket() {
  const char* pid = std::getenv("LISTEN_PID");
  const char* count = std::getenv("LISTEN_FDS");
  if (pid == nullptr || count == nullptr || *pid == '\0' || *count == '\0') return {std::nullopt};
  const auto whose = parse_integer(pid);
  if (!whose) return bad_variable("LISTEN_PID", pid, "expected a process's number");
  if (*whose != ::getpid()) return {std::nullopt};
  const auto number = parse_integer(count);
  if (!number || *number < 0)
    return bad_variable("LISTEN_FDS", count, "expected a count of sockets");
  if (*number == 0) return {std::nullopt};
  if (*number > 1)
    return bad_variable("LISTEN_FDS", count, "a job is served on one socket: pass one");
  if (Result<Url> bound = bound_url(first_fd); !bound) {
    Error error = named("LISTEN_FDS", std::move(bound).error());
    error.exit_code = 2;  // of whatever code: what was passed is no socket
    return error;
  }
  ::fcntl(first_fd, F_SETFD, FD_CLOEXEC);
  return std::optional<int>(first_fd);
}

}  // namespace muster::net
