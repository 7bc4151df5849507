/// \file
/// The store over a link that speaks version 0.
#pragma once

#include <memory>

#include <muster/store.hpp>

#include "client/core/caller.hpp"

namespace muster {

/// `caller` speaks version 0. What that has no message for is `unsupported` (list, watch,
/// set_owned) or made of several requests (wait, multi_get, multi_set), which are no one moment:
/// others may come between. An absent key and an empty value are the same to the server: to expect
/// an empty value is `unsupported`, to expect none may find an empty one. The values of one request
/// have at most limits::v0_sent_values_bytes_max bytes.
std::unique_ptr<Store> make_version0_store(std::shared_ptr<client::Caller> caller);

}  // namespace muster
