/// \file
/// Which job the user means, and what gets one in.
#pragma once

#include <string>

#include <muster/result.hpp>
#include <muster/security.hpp>

namespace muster::tool {

/// Value.
struct Target {
  std::string url;
  Credentials credentials;
};

/// Whether these, or the environment, say which job is meant; otherwise it is the only live one.
bool is_said(const std::string& given, const std::string& uid_file);

/// The job that `given` stands for: a URL as it is, the path of a job file or of a unique id's file
/// (it holds a '/'), or the name of a live job of this user. Nothing given: MUSTER_URL, else the
/// unique id's, else the only live job. Credentials come from the environment and the unique id,
/// if there is one: `given` itself, else the file `uid_file`, else MUSTER_UID_FILE, _FD or
/// MUSTER_UID.
///
/// Errors: `not_found`, also without any live job; `invalid_argument`, with several, naming them;
/// `system`.
Result<Target> find_job(const std::string& given, const std::string& uid_file);

}  // namespace muster::tool
