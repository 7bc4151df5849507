/// \file
/// What a process has to say to join a job, and where it may take it from.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <muster/contract.hpp>
#include <muster/deadline.hpp>
#include <muster/export.hpp>
#include <muster/ids.hpp>
#include <muster/log.hpp>

namespace muster {

/// Who keeps the store and the roster.
enum class Serve : std::uint8_t {
  by_rank_0,  ///< rank 0, in its own process, at the job's address
  external,   ///< a process of its own: `muster serve`, `muster run`
};

/// When join() returns.
enum class Until : std::uint8_t {
  all_joined,  ///< all ranks are in
  admitted,    ///< this one is; collectives wait for the rest
};

/// Value.
struct JoinOptions {
  std::string url;                    ///< tcp://host:port, tcp6://[host]:port, unix:///path
  std::optional<std::uint32_t> rank;  ///< needed; 0 <= rank < size
  std::optional<std::uint32_t> size;  ///< needed
  Serve serve = Serve::by_rank_0;
  Until until = Until::all_joined;
  std::string job_id;                      ///< empty: whatever job is served there
  std::optional<Incarnation> incarnation;  ///< said by a launcher, so that a stale peer is refused
  std::optional<Epoch> epoch;              ///< given to resume; on rank 0 it becomes the job's
  std::optional<Contract> contract;        ///< agreed on as part of the join
  /// Rank 0 only: a listening socket bound by the user, instead of binding `url`. join() takes it
  /// over and closes it, also when it fails. Ignored, with a warning, on other ranks.
  std::optional<int> listen_fd;
  /// Wall-clock time for everything until joined: names, connecting, waiting for the others.
  Duration join_timeout = std::chrono::seconds{120};
  /// What a default deadline of a later call stands for.
  Duration operation_timeout = std::chrono::seconds{120};
  LogSink log;  ///< none: warnings and errors go to standard error

  /// From MUSTER_* (docs/reference/environment.md). An incomplete set, or a value that cannot be
  /// parsed, is `invalid_argument` and names the variable; never a default, never a job of one.
  MUSTER_API static Result<JoinOptions> from_environment();
};

}  // namespace muster
