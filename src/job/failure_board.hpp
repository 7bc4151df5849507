/// \file
/// What a job's link noticed, and the handler that wants to know.
#pragma once

#include <functional>
#include <mutex>
#include <optional>

#include <muster/roster.hpp>

namespace muster {

/// Resource; any number of threads. Shared by the job and its link, since a notice may be on its
/// way while the job is destroyed.
class FailureBoard {
 public:
  using Handler = std::function<void(const Failure&)>;

  /// The link's side. The first failure counts.
  void report(const Failure& failure);
  /// The application's side. If there is a failure already, `handler` is called at once.
  void set_handler(Handler handler);
  /// From now on nothing is reported; a handler that runs just now has returned.
  void silence();

 private:
  std::mutex mutex_;  ///< held while the handler runs, so that silence() can promise what it says
  Handler handler_;
  std::optional<Failure> failure_;
  bool silent_ = false;
};

}  // namespace muster
