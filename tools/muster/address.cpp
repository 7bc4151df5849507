#include "address.hpp"

#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <optional>

#include <muster/unique_id.hpp>

#include "base/text.hpp"
#include "base/usage_error.hpp"
#include "job/use_unique_id.hpp"
#include "job_file.hpp"
#include "net/url.hpp"
#include "serving.hpp"

namespace muster::tool {
namespace {

bool is_path(const std::string& given) {
  return given.find("://") == std::string::npos && given.find('/') != std::string::npos;
}

/// Whether it is a file that begins as the text of a unique id does, perhaps behind white space.
bool holds_unique_id(const std::string& path) {
  std::error_code none;
  if (!std::filesystem::is_regular_file(path, none)) return false;  // a pipe would be waited for
  std::ifstream file(path);
  std::string begin(7, '\0');
  return file >> std::ws && file.read(begin.data(), 7) && begin == "muster1";
}

Result<std::optional<UniqueId>> unique_id(const std::string& given, const std::string& uid_file) {
  std::string path = uid_file;
  if (is_path(given) && holds_unique_id(given)) path = given;
  if (path.empty()) return UniqueId::from_environment();
  auto id = UniqueId::from_file(path);
  if (!id) return uid_file.empty() ? id.error() : named("--uid-file", std::move(id).error());
  return std::optional<UniqueId>(*std::move(id));
}

Result<std::string> find_url(const std::string& given) {
  if (given.starts_with("muster1:")) {
    return Error{.code = Code::invalid_argument,
                 .what = "a unique id is a secret, and everybody can see a command line",
                 .advice = "give its file, or set MUSTER_UID_FILE"};
  }
  if (given.find("://") != std::string::npos) return given;
  if (is_path(given)) {
    auto file = JobFile::read(given);
    if (file) return file->url;
    Error error = std::move(file).error();
    error.advice = "expected a job's file; a URL has ://, as in tcp://host:port";
    return error;
  }
  for (const auto& file : live_jobs()) {
    if (file.job == given) return file.url;
  }
  return Error{.code = Code::not_found,
               .what = fmt::format("no job named {} is being served on this machine by this user",
                                   muster::quoted(given)),
               .advice = "give its URL, its job file or the name of a live job"};
}

Result<std::string> only_url() {
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

Result<std::string> url_of(const std::string& given, const std::optional<UniqueId>& id) {
  if (id && is_path(given)) return id->url();
  if (!given.empty()) return find_url(given);
  if (std::string set = from_environment("MUSTER_URL"); !set.empty()) {
    if (auto sound = net::Url::parse(set); !sound) return named("MUSTER_URL", sound.error());
    return set;
  }
  return id ? id->url() : only_url();
}

}  // namespace

bool is_said(const std::string& given, const std::string& uid_file) {
  if (!given.empty() || !uid_file.empty()) return true;
  const auto is_set = [](const char* variable) { return !from_environment(variable).empty(); };
  return is_set("MUSTER_URL") || is_set("MUSTER_UID_FILE") || is_set("MUSTER_UID_FD") ||
         is_set("MUSTER_UID");
}

Result<Target> find_job(const std::string& given, const std::string& uid_file) {
  if (!credentials()) return credentials().error();
  const auto id = unique_id(given, uid_file);
  if (!id) return id.error();
  auto url = url_of(given, *id);
  if (!url) return url.error();
  Target target{.url = *std::move(url), .credentials = *credentials()};
  if (!*id) return target;
  auto protection = credentials_with(**id, target.credentials);
  if (!protection) return protection.error();
  target.credentials = *std::move(protection);
  return target;
}

}  // namespace muster::tool
