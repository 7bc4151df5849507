/// \file
/// Where the job of a unique id is served: from options, the environment, or chosen.
#pragma once

#include <muster/result.hpp>
#include <muster/unique_id.hpp>

#include "net/fd.hpp"
#include "net/url.hpp"

namespace muster {

/// Resource.
struct UidAddress {
  net::Fd listener;  ///< bound, and listening
  net::Url told;     ///< what the id says: with the port that the system picked
};

/// Errors: those of UniqueId::create().
Result<UidAddress> bind_for_unique_id(const UniqueIdOptions& options);

}  // namespace muster
