/// \file
/// How a link ends, and what its owner is told of it.
#pragma once

#include <optional>

#include <muster/result.hpp>
#include <muster/roster.hpp>

namespace muster::client {

/// Value. Whether and why a link gives no more answers, and the news for its owner: the first
/// reason, be it the link's or the job's, and no second one.
class Fate {
 public:
  /// Why there are no more answers; nothing while there may be some.
  const std::optional<Error>& down() const { return down_; }
  /// False if it was down before: the first reason stays.
  bool go_down(Error why);

  /// The server says why the job ends, or itself. The link lives on.
  void announce(Failure failure);
  /// What it said first. When a job fails, its serving rank ends like the others, often before
  /// them: they are to hear why the job failed, not that the server is gone.
  const std::optional<Failure>& announced() const { return announced_; }

  /// The owner needs no news any more.
  void owner_knows() { told_ = true; }
  bool has_news() const { return news_.has_value(); }
  /// Once.
  std::optional<Failure> take_news();

 private:
  void tell(Failure failure);

  std::optional<Error> down_;
  std::optional<Failure> announced_;
  std::optional<Failure> news_;
  bool told_ = false;
};

}  // namespace muster::client
