/// \file
/// Links with requests that were left for the next turn of the loop.
#pragma once

#include <functional>
#include <uv.h>
#include <vector>

#include "server/core/actions.hpp"
#include "server/driver/connection.hpp"

namespace muster::server {

/// Resource; the loop's thread. As long as there are any the loop does not sleep; between two turns
/// of theirs every socket that is ready has one.
class Unheard {
 public:
  /// `hear` is called once a turn for each of them.
  Unheard(uv_loop_t* loop, std::function<void(LinkId)> hear);

  void add(LinkId link);

 private:
  void turn();

  const std::function<void(LinkId)> hear_;
  std::vector<LinkId> links_;
  UvHandle<uv_idle_t> idle_;
};

}  // namespace muster::server
