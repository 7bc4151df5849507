/// \file
/// The serving rank's server.
#pragma once

#include <memory>

#include <muster/join_options.hpp>
#include <muster/result.hpp>

#include "net/fd.hpp"
#include "net/url.hpp"
#include "server/driver/server.hpp"

namespace muster {

/// Serves the job of `options` at `url`, or on `listen_fd` if there is one. What nobody has said is
/// made here: job id, incarnation, epoch.
Result<std::unique_ptr<server::Server>> serve(const JoinOptions& options, const net::Url& url,
                                              net::Fd listen_fd, TimePoint deadline);

}  // namespace muster
