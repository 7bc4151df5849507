#include "address.hpp"

#include <cstdlib>
#include <fmt/format.h>

#include "base/text.hpp"
#include "job_file.hpp"

namespace muster::tool {

Result<std::string> find_url(const std::string& given) {
  if (given.find("://") != std::string::npos) return given;
  if (given.find('/') != std::string::npos) {
    auto file = JobFile::read(given);
    if (file) return file->url;
    Error error = std::move(file).error();
    if (error.advice.empty()) error.advice = "a URL has ://, as in tcp://host:port";
    return error;
  }
  for (const auto& file : live_jobs()) {
    if (file.job == given) return file.url;
  }
  return Error{.code = Code::not_found,
               .what = fmt::format("no job named {} is being served on this machine by this user",
                                   quoted(given)),
               .advice = "give its URL, its job file or the name of a live job"};
}

Result<std::string> find_url() {
  const char* set = std::getenv("MUSTER_URL");
  if (set != nullptr && *set != '\0') return std::string(set);
  const auto live = live_jobs();
  if (live.size() == 1) return live.front().url;
  if (live.empty()) {
    return Error{.code = Code::not_found,
                 .what = "no job is being served on this machine by this user",
                 .advice = "give a job's URL or set MUSTER_URL"};
  }
  std::string names;
  for (const auto& file : live) {
    names +=
        fmt::format("{}{} (pid {}, {})", names.empty() ? "" : ", ", file.job, file.pid, file.url);
  }
  return Error{.code = Code::invalid_argument,
               .what = fmt::format("{} jobs are being served: {}", live.size(), names),
               .advice = "name the one you mean"};
}

}  // namespace muster::tool
