#include <fmt/format.h>

#include <muster/result.hpp>

#include "base/limits.hpp"
#include "base/seconds.hpp"
#include "base/text.hpp"

namespace muster {

const char* name(Code code) {
  switch (code) {
    case Code::invalid_argument:
      return "invalid_argument";
    case Code::invalid_state:
      return "invalid_state";
    case Code::busy:
      return "busy";
    case Code::refused:
      return "refused";
    case Code::timeout:
      return "timeout";
    case Code::not_found:
      return "not_found";
    case Code::limit:
      return "limit";
    case Code::quota:
      return "quota";
    case Code::protocol:
      return "protocol";
    case Code::unreachable:
      return "unreachable";
    case Code::server_lost:
      return "server_lost";
    case Code::rank_missing:
      return "rank_missing";
    case Code::rank_lost:
      return "rank_lost";
    case Code::rank_left:
      return "rank_left";
    case Code::rank_failed:
      return "rank_failed";
    case Code::mismatch:
      return "mismatch";
    case Code::contract_mismatch:
      return "contract_mismatch";
    case Code::system:
      return "system";
    case Code::unsupported:
      return "unsupported";
  }
  return "unknown";
}

const char* name(Phase phase) {
  switch (phase) {
    case Phase::local:
      return "local";
    case Phase::resolve:
      return "resolve";
    case Phase::connect:
      return "connect";
    case Phase::tls:
      return "tls";
    case Phase::hello:
      return "hello";
    case Phase::muster:
      return "muster";
    case Phase::operation:
      return "operation";
    case Phase::leave:
      return "leave";
  }
  return "unknown";
}

std::string RankName::text() const {
  std::string line = rank == no_rank ? "a process" : fmt::format("rank {}", rank);
  if (!host.empty() && pid != 0) {
    line += fmt::format(" (host {}, pid {})", printable(host, limits::host_bytes_max), pid);
  }
  if (!detail.empty()) line += ": " + printable(detail);
  return line;
}

std::string Error::text() const {
  std::string line =
      fmt::format("{}: {}", name(code), what.empty() ? "no detail" : printable(what, 4096));
  if (!remote.empty()) line += fmt::format(" [peer {}]", printable(remote));
  if (!local.empty()) line += fmt::format(" [here {}]", printable(local));
  if (phase != Phase::local) line += fmt::format(" [while: {}]", name(phase));
  if (elapsed.count() > 0) {
    line += fmt::format(" [after {:.3f} s]", to_seconds(elapsed));
  }
  if (!advice.empty()) line += fmt::format(" ({})", printable(advice));
  return line;
}

Failed::Failed(Error error) : error_(std::move(error)), text_(error_.text()) {}

}  // namespace muster
