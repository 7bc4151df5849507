/// \file
/// The store over a link.
#pragma once

#include <memory>

#include <muster/store.hpp>

#include "client/core/caller.hpp"

namespace muster {

/// Limits on keys and values are checked here, before anything is sent.
std::unique_ptr<Store> make_remote_store(std::shared_ptr<client::Caller> caller);

}  // namespace muster
