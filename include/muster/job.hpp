/// \file
/// A process's place in a job: from join to leave.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

#include <muster/agreement.hpp>
#include <muster/group.hpp>
#include <muster/join_options.hpp>
#include <muster/roster.hpp>
#include <muster/store.hpp>

namespace muster {

/// Resource; movable, no globals: any number of jobs in one process. Any number of threads may use
/// one, but moving, destroying and leaving it are for one thread, when no other uses it.
///
/// A job belongs to the process that joined it. In a child of fork() its copy, and what was got
/// from it, does nothing: calls are `invalid_state`, destroying it says goodbye to nobody, and the
/// parent's job goes on. A child may join jobs of its own.
class MUSTER_API Job {
 public:
  /// Joins. When it returns well, every rank is in (or this one, if asked so), and on request all
  /// agree on `options.contract`.
  ///
  /// Errors: `invalid_argument` (says which option, what was given, what is expected),
  /// `unreachable`, `refused` (another job, another incarnation, the rank is taken, another size:
  /// with both sides' host and pid), `rank_missing` at the deadline with the same list on every
  /// rank, `rank_lost`, `contract_mismatch`, `timeout`. On failure nothing is left behind: no
  /// thread, socket or file.
  static Result<Job> join(JoinOptions options);

  Job(Job&&) noexcept;
  Job& operator=(Job&&) noexcept;
  /// leave_now(): never waits more than a moment (100 ms).
  ~Job();

  std::uint32_t rank() const;
  std::uint32_t size() const;
  std::string_view id() const;
  const Epoch& epoch() const;
  Identity identity() const;
  /// Where the job is served; what others put into MUSTER_URL.
  std::string_view url() const;

  /// All ranks. Lives as long as the job.
  Group& world();
  /// The job's store. Lives as long as the job.
  Store& store();

  /// agree() on the world, under the job's epoch.
  Result<Agreement> agree(const Contract& contract, Deadline deadline = {});

  /// Who is in, and what each waits in. Works while the job is failing, too.
  Result<JobStatus> status(Deadline deadline = {});

  /// Calls `handler` once, when the job fails or its server is gone, from the thread that notices
  /// it: a call in progress, or the process's watcher. It must not block and must not call into the
  /// job. If the job has failed already it is called at once. Replaces the handler before it.
  void on_failure(std::function<void(const Failure&)> handler);

  /// Ends the job for all ranks: every blocked call of every rank wakes with `rank_failed`, this
  /// rank's name and the reason. `exit_code`, 1 to 255, is what the others should exit with.
  Result<void> fail(std::string_view reason, int exit_code);

  /// Says goodbye and waits, bounded, until every rank has left or is lost, so that nobody finds
  /// the server gone while it is needed. At its deadline it returns `rank_missing` with the names
  /// of those who did not come; this rank has left all the same. A second call is `invalid_state`.
  Result<void> leave(Deadline deadline = {});

  /// Leaves without waiting, and says so to others. On the serving rank the server goes too.
  void leave_now();

 private:
  struct Impl;
  explicit Job(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

/// Resource. The store of the job served at `url`, without being a rank of it: what `muster kv`
/// uses. `?wire=0` behind the URL has it speak version 0, to a server of the reference or to
/// Muster's: list, watch and set_owned are `unsupported` then, wait, multi_get and multi_set are
/// several requests and no one moment, compare_set takes an empty value for an absent key, values
/// have 10 MiB less 1,082 bytes, and a request that the server finds wrong is `invalid_argument`.
/// `credentials` are those of the job; a protected one does not speak version 0.
MUSTER_API Result<std::unique_ptr<Store>> connect_store(std::string_view url,
                                                        Deadline deadline = {},
                                                        const Credentials& credentials = {});

/// What the server at `url` knows of its job; works while the job is still gathering.
MUSTER_API Result<JobStatus> query_status(std::string_view url, Deadline deadline = {},
                                          const Credentials& credentials = {});

}  // namespace muster
