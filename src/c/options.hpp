/// \file
/// The options of a join, from C.
#pragma once

#include <muster/join_options.hpp>
#include <muster/muster.h>
#include <muster/result.hpp>

namespace muster::c {

/// What `options` say (null: nothing), and what they leave out from the environment, unless they
/// forbid that. `invalid_argument` names the option.
Result<JoinOptions> to_join_options(const muster_join_options* options);

/// join() with these; the job is new.
Result<muster_job*> join(const JoinOptions& options);

}  // namespace muster::c
