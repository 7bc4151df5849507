/// \file
/// A job's status, for people and for programs.
#pragma once

#include <string>

#include <muster/roster.hpp>

namespace muster::tool {

/// Lines for people: the job, its failure, ranks in the same state in one line, open rounds with
/// who is missing, who waits for a rank.
std::string status_text(const JobStatus& status);

/// One JSON object and a newline; its keys are described in docs/reference/cli.md. Text that is not
/// UTF-8 has U+FFFD in place of what is wrong.
std::string status_json(const JobStatus& status, const std::string& url);

}  // namespace muster::tool
