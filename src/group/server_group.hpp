/// \file
/// The group whose rounds the server keeps.
#pragma once

#include <memory>

#include <muster/group.hpp>

#include "client/core/caller.hpp"

namespace muster {

/// The group of all ranks of the caller's session, which must be a rank's. A rank that has no
/// verdict limits::verdict_grace after its deadline, having taken in what has arrived, closes its
/// link: it counts as lost, so that no two ranks act on different verdicts.
std::unique_ptr<Group> make_world_group(std::shared_ptr<client::Caller> caller);

}  // namespace muster
