#include "job/check_options.hpp"

#include <fmt/format.h>

#include "base/limits.hpp"
#include "base/seconds.hpp"
#include "base/usage_error.hpp"
#include "job/liveness.hpp"
#include "job/use_unique_id.hpp"
#include "net/advertise.hpp"
#include "net/port_range.hpp"

namespace muster {
namespace {

Result<void> check_time(const char* option, Duration given) {
  if (given > Duration::zero() && given <= Duration{limits::wait_max}) return {};
  return usage_error(
      fmt::format("{} is {} s", option, to_seconds(given)),
      fmt::format("expected more than 0 and at most {} s", to_seconds(limits::wait_max)));
}

Result<void> check_assignment(const JoinOptions& options) {
  if (options.rank) {
    return usage_error(fmt::format("rank is {}, and assign_rank is set", *options.rank),
                       "expected one of them");
  }
  if (options.serve != Serve::external) {
    return usage_error("assign_rank is set, but rank 0 is to serve: nobody could assign",
                       "serve the job by `muster serve`, and say MUSTER_SERVE=external");
  }
  if (options.until == Until::all_joined) return {};
  return usage_error("assign_rank is set, but join is not to wait until all are in",
                     "ranks are assigned once all are in: expected Until::all_joined");
}

Result<void> check_ranks(const JoinOptions& options) {
  if (!options.size)
    return usage_error("the option size is not set", "say how many ranks there are");
  if (*options.size == 0 || *options.size > limits::ranks_max) {
    return usage_error(fmt::format("size is {}", *options.size),
                       fmt::format("expected 1 to {}", limits::ranks_max));
  }
  if (options.assign_rank) return check_assignment(options);
  if (!options.rank) return usage_error("the option rank is not set", "say which rank this is");
  if (*options.rank >= *options.size) {
    return usage_error(fmt::format("rank is {} in a job of {}", *options.rank, *options.size),
                       fmt::format("expected 0 to {}", *options.size - 1));
  }
  return {};
}

/// Jobs that share a URL with port 0 are told apart by their instance numbers.
Result<void> choose_port(const JoinOptions& options, net::Url& url) {
  const bool tcp = url.scheme != net::Url::Scheme::unix_socket;
  if (options.instance == 0 || !tcp || url.port != 0) return {};
  if (!options.port_range) {
    return usage_error(
        fmt::format("instance {} has port 0 in {}, and no port_range to take a port of",
                    options.instance, options.url),
        "set MUSTER_PORT_RANGE (or the option port_range), for example to 29400:29499, "
        "the same for all ranks");
  }
  const PortRange& range = *options.port_range;
  if (Result<void> good = check_port_range(range); !good) return good;
  const std::uint64_t port = std::uint64_t{range.first} + options.instance;
  if (port > range.last) {
    return usage_error(
        fmt::format("instance {} would have port {}, which is beyond the port_range {}",
                    options.instance, port, range.text()),
        "set MUSTER_PORT_RANGE (or the option port_range) to more ports, the same for "
        "all ranks, or leave instances and number them anew");
  }
  url.port = static_cast<std::uint16_t>(port);
  return {};
}

/// Whoever binds port 0 alone learns the port: it has to be able to tell the others before they
/// join.
Result<void> check_port(const JoinOptions& options, const net::Url& url) {
  const bool tcp = url.scheme != net::Url::Scheme::unix_socket;
  const bool can_tell = options.until == Until::admitted || options.listen_fd || *options.size == 1;
  if (!tcp || url.port != 0 || can_tell) return {};
  return usage_error(
      fmt::format("{} has port 0, which no other rank can connect to", options.url),
      "choose a port, or hand a listening socket in, or join with Until::admitted and "
      "tell the others Job::url()");
}

Result<void> check_advertise(const JoinOptions& options, net::Url url) {
  if (url.port == 0) url.port = 1;  // not known yet: some port
  const Result<net::Url> told = net::advertised(url, options.advertise);
  if (told) return {};
  Error error = told.error();
  error.what = fmt::format("advertise (MUSTER_ADVERTISE): {}", error.what);
  return error;
}

}  // namespace

Result<net::Url> check_options(const JoinOptions& options) {
  if (Result<void> ranks = check_ranks(options); !ranks) return std::move(ranks).error();
  if (options.url.empty()) {
    return usage_error("the option url is not set",
                       "say where the job is served, for example tcp://node0:29400");
  }
  Result<net::Url> url = net::Url::parse(options.url);
  if (!url) return std::move(url).error();
  if (Result<void> port = choose_port(options, *url); !port) return std::move(port).error();
  if (Result<void> port = check_port(options, *url); !port) return std::move(port).error();
  if (serves(options)) {
    if (Result<void> told = check_advertise(options, *url); !told) return std::move(told).error();
  }
  if (options.listen_fd && *options.listen_fd < 0) {
    return usage_error(fmt::format("listen_fd is {}", *options.listen_fd),
                       "expected an open, listening socket, or nothing");
  }
  if (options.incarnation && options.incarnation->number == 0) {
    return usage_error("incarnation is 0", "expected what a launcher has given, or nothing");
  }
  if (!options.job_id.empty()) {
    if (Result<void> id = check_job_id(options.job_id); !id) return std::move(id).error();
  }
  if (const Result<Security> security = options.credentials.settled(); !security) {
    return security.error();
  }
  if (Result<void> time = check_time("join_timeout", options.join_timeout); !time) {
    return std::move(time).error();
  }
  if (Result<void> time = check_time("operation_timeout", options.operation_timeout); !time) {
    return std::move(time).error();
  }
  if (Result<void> beats = check_heartbeat(options.heartbeat); !beats) {
    return std::move(beats).error();
  }
  return url;
}

}  // namespace muster
