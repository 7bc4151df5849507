/// \file
/// What a process has to say to join a job, and where it may take it from.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <muster/contract.hpp>
#include <muster/deadline.hpp>
#include <muster/export.hpp>
#include <muster/ids.hpp>
#include <muster/log.hpp>
#include <muster/port_range.hpp>
#include <muster/result.hpp>
#include <muster/roster.hpp>
#include <muster/security.hpp>
#include <muster/unique_id.hpp>

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
  std::string url;         ///< tcp://host:port, tcp6://[host]:port, unix:///path
  std::string url_origin;  ///< what `url` was made from, for errors; empty: somebody wrote it
  std::optional<std::uint32_t> rank;  ///< 0 <= rank < size; needed unless assign_rank
  std::optional<std::uint32_t> size;  ///< needed
  /// The server gives this process one of the ranks that nobody claims, once all are in: by host
  /// name, then in order of arrival. Needs `serve` external, and `until` all_joined.
  bool assign_rank = false;
  Serve serve = Serve::by_rank_0;
  Until until = Until::all_joined;
  std::string job_id;                      ///< empty: whatever job is served there
  std::optional<Incarnation> incarnation;  ///< said by a launcher, so that a stale peer is refused
  std::optional<Epoch> epoch;              ///< given to resume; on rank 0 it becomes the job's
  std::optional<Contract> contract;        ///< agreed on as part of the join
  Credentials credentials;                 ///< how the job is protected; all ranks say the same
  /// Rank 0 only: a listening socket bound by the user, instead of binding `url`. join() takes it
  /// over and closes it, also when it fails. Ignored, with a warning, on other ranks.
  std::optional<int> listen_fd;
  /// Serving rank only: "host" or "host:port" that others can reach, for Job::url() to say instead
  /// of what was bound.
  std::string advertise;
  /// Instead of url, job_id, incarnation and credentials: the id has them. Rank 0 serves if it made
  /// the id in this process; if something else serves it, say Serve::external.
  std::optional<UniqueId> unique_id;
  /// How ranks find each other instead of by options: `mpi`, or another plugin
  /// (<muster/plugin_group.hpp>). It says rank and size, and, unless url, unique_id or
  /// Serve::external do (the same on all ranks), rank 0 serves, and its address and a secret of the
  /// job go to all ranks over the plugin, which is left when the job is left.
  std::string plugin;
  void* plugin_argument = nullptr;  ///< for MPI an MPI_Comm*; null: MPI_COMM_WORLD
  /// Several jobs may share a URL with port 0 if each has another number here: the port is then the
  /// first of `port_range` plus this number, and a port beyond the range is `invalid_argument`.
  /// 0, or a URL with a port or without any: nothing of the kind.
  std::uint32_t instance = 0;
  std::optional<PortRange> port_range;
  /// Wall-clock time for everything until joined: names, connecting, waiting for the others.
  Duration join_timeout = std::chrono::seconds{120};
  /// What a default deadline of a later call stands for.
  Duration operation_timeout = std::chrono::seconds{120};
  /// So often server and ranks give each other a sign of life; whoever is silent for five of these
  /// is given up. 0: never, for a rank this is the wish of, and for all if the serving rank wishes
  /// it; how often, the server says.
  Duration heartbeat = std::chrono::seconds{2};
  /// What a lost rank does to the job; the serving rank's is what counts.
  OnLoss on_loss = OnLoss::fail_job;
  LogSink log;  ///< none: warnings and errors go to standard error

  /// From MUSTER_*, and what they leave out from the launcher's variables: Open MPI, PMI (MPICH),
  /// Slurm, torchrun, Kubernetes (docs/reference/environment.md). An incomplete set, a value that
  /// cannot be parsed, or a job of several ranks without an address is `invalid_argument` and names
  /// the variables; never a default, never a job of one by mistake.
  MUSTER_API static Result<JoinOptions> from_environment();

  /// The same for what `given` leaves out: what it holds stays, and nobody is asked for it. Only of
  /// `serve`, `until`, `instance`, the three times, `on_loss` and `log` it cannot be seen whether
  /// they are given: a variable that is set wins over these, so set them afterwards.
  MUSTER_API static Result<JoinOptions> from_environment(JoinOptions given);
};

}  // namespace muster
