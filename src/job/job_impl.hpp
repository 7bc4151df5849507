/// \file
/// What a Job holds. Members go in the reverse of their order: the world and the store before the
/// link, the link before the server that it may lead to.
#pragma once

#include <memory>
#include <mutex>
#include <string>

#include <muster/job.hpp>
#include <muster/plugin_group.hpp>

#include "base/fork.hpp"
#include "client/core/caller.hpp"
#include "job/failure_board.hpp"
#include "server/driver/server.hpp"

namespace muster {

struct Job::Impl {
  HomeProcess home;
  LogSink log;
  std::string url;
  std::unique_ptr<PluginGroup> plugin;     ///< by which the ranks have found each other, if any
  std::unique_ptr<server::Server> server;  ///< on the serving rank only
  std::shared_ptr<FailureBoard> failures = std::make_shared<FailureBoard>();
  std::shared_ptr<client::Caller> caller;
  std::unique_ptr<Group> world;
  std::unique_ptr<Store> store;
  bool left = false;
  std::mutex drift_mutex;
  std::string drift;  ///< what the ranks did not agree about, if they did not

  ~Impl();
  TimePoint resolve(Deadline deadline) const;
  /// Leaves without waiting, unless the job was left already. Over a drift it fails the job:
  /// whoever serves it is to end with what its ranks end with.
  void drop();
  Value last_words();
  void note_drift(const Error& error);
  /// The link and the server go; nothing is reported any more.
  void close(Duration grace);
};

/// The status behind `caller`, page by page.
Result<JobStatus> ask_status(client::Caller& caller, TimePoint deadline);

}  // namespace muster
