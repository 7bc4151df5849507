/// \file
/// A join by unique id, made into one by address, name and secret.
#pragma once

#include <muster/join_options.hpp>
#include <muster/result.hpp>

#include "net/fd.hpp"

namespace muster {

/// Whether this process is to serve the job.
bool serves(const JoinOptions& options);

/// `given`, and the id's secret unless something else protects the job: `given` says none, or has
/// certificates. The secret is TLS's unless `given` says otherwise. Errors: `invalid_argument` if
/// it has another secret.
Result<Credentials> credentials_with(const UniqueId& id, Credentials given);

/// Fills in what `options.unique_id` stands for, and into `listener`, unless there is one, the
/// socket that was kept for it, if this rank serves. Nothing without a unique id.
///
/// Errors: `invalid_argument` if other options say something else than the id, or if this rank is
/// to serve and the id was made in another process.
Result<void> use_unique_id(JoinOptions& options, net::Fd& listener);

}  // namespace muster
