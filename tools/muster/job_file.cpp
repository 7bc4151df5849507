#include "job_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <sstream>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/regular_file.hpp"
#include "boot_id.hpp"
#include "net/fd.hpp"
#include "private_folder.hpp"
#include "whole_file.hpp"

namespace muster::tool {
namespace {

using nlohmann::json;

constexpr std::size_t file_bytes_max = 64U << 10;

Error failed(const std::string& what) {
  return {.code = Code::system, .what = fmt::format("{}: {}", what, std::strerror(errno))};
}

/// Where job files may be, the better one first.
std::vector<std::string> folders() {
  std::vector<std::string> all;
  const char* runtime = std::getenv("XDG_RUNTIME_DIR");
  if (runtime != nullptr && runtime[0] == '/') all.push_back(std::string(runtime) + "/muster");
  all.push_back(fmt::format("{}/muster-{}", temporary_folder(), ::geteuid()));
  return all;
}

/// Held while something is removed that was found dead: in between it could come to life anew.
/// Where a folder cannot be locked (some network file systems), it goes without.
net::Fd lock_folder(const std::string& path) {
  net::Fd folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  while (folder && ::flock(folder.get(), LOCK_EX) != 0 && errno == EINTR) continue;
  return folder;
}

/// All that could be read in `folder`, with their paths.
std::vector<std::pair<std::string, JobFile>> files_in(const std::string& folder) {
  std::vector<std::pair<std::string, JobFile>> all;
  std::error_code failed;
  std::filesystem::directory_iterator each(folder, failed);
  for (; !failed && each != std::filesystem::directory_iterator(); each.increment(failed)) {
    if (each->path().extension() != ".json") continue;
    auto file = JobFile::read(each->path().string());
    if (file) all.emplace_back(each->path().string(), *std::move(file));
  }
  return all;
}

Result<std::string> writable_folder() {
  std::optional<Error> none;
  for (const auto& folder : folders()) {
    const auto made = make_private_folder(folder);
    if (made) return folder;
    if (none) {
      none->what += "; " + made.error().what;
    } else {
      none = made.error();
    }
  }
  return *none;
}

}  // namespace

std::optional<std::uint64_t> process_start_ticks(pid_t pid) {
  std::ifstream file(fmt::format("/proc/{}/stat", pid));
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  // The name stands in parentheses and may hold any character; field 3 follows the last one.
  const std::size_t name_end = text.rfind(')');
  if (name_end == std::string::npos) return std::nullopt;
  std::istringstream fields(text.substr(name_end + 1));
  std::string skipped;
  char state = 0;
  fields >> state;
  if (state == 'Z' || state == 'X') return std::nullopt;  // ended, its parent has not looked yet
  for (int field = 4; field < 22; ++field) fields >> skipped;
  std::uint64_t ticks = 0;
  if (!(fields >> ticks)) return std::nullopt;
  return ticks;
}

std::string pid_space() {
  std::error_code none;
  return boot_id() + " " + std::filesystem::read_symlink("/proc/self/ns/pid", none).string();
}

bool JobFile::alive() const {
  const auto ticks = process_start_ticks(pid);
  return pid_space == tool::pid_space() && ticks && *ticks == start_ticks;
}

bool JobFile::dead() const {
  return pid_space == tool::pid_space() && !alive();
}

std::string JobFile::to_json() const {
  const json all{{"job", job},
                 {"url", url},
                 {"pid", pid},
                 {"start_ticks", start_ticks},
                 {"pid_space", pid_space}};
  return all.dump() + "\n";
}

std::optional<JobFile> JobFile::from_json(std::string_view text) {
  const json parsed = json::parse(text, nullptr, false);
  if (!parsed.is_object()) return std::nullopt;
  const auto field = [&](const char* key) { return parsed.value(key, json()); };
  for (const char* key : {"job", "url", "pid_space"}) {
    if (!field(key).is_string()) return std::nullopt;
  }
  if (!field("pid").is_number_unsigned()) return std::nullopt;
  if (!field("start_ticks").is_number_unsigned()) return std::nullopt;
  return JobFile{.job = field("job"),
                 .url = field("url"),
                 .pid = field("pid"),
                 .start_ticks = field("start_ticks"),
                 .pid_space = field("pid_space")};
}

Result<JobFile> JobFile::read(const std::string& path) {
  if (auto good = check_regular_file(path, path, "expected a job file"); !good) {
    return std::move(good).error();
  }
  std::ifstream file(path);
  std::string text(file_bytes_max, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (!file && !file.eof()) return failed("cannot read " + path);
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (auto parsed = from_json(text)) return *parsed;
  return Error{.code = Code::invalid_argument, .what = path + " is not a job file"};
}

std::vector<JobFile> live_jobs() {
  std::vector<JobFile> live;
  for (const auto& folder : folders()) {
    if (!check_private_folder(folder)) continue;  // somebody else's word for where our jobs are
    for (auto& [path, file] : files_in(folder)) {
      if (file.alive()) live.push_back(std::move(file));
    }
  }
  std::sort(live.begin(), live.end(),
            [](const JobFile& a, const JobFile& b) { return a.job < b.job; });
  return live;
}

Result<OwnJobFile> OwnJobFile::write(const std::string& job, const std::string& url) {
  auto folder = writable_folder();
  if (!folder) return folder.error();
  const net::Fd lock = lock_folder(*folder);
  for (const auto& [path, file] : files_in(*folder)) {
    if (file.dead()) ::unlink(path.c_str());
  }
  const std::string path = fmt::format("{}/{}.json", *folder, job);
  const auto old = JobFile::read(path);
  if (old && old->alive()) {
    return Error{.code = Code::busy,
                 .what = fmt::format("job '{}' is being served already, by pid {} at {}", job,
                                     old->pid, old->url),
                 .advice = "end that one, or give this job another name"};
  }
  const JobFile own{.job = job,
                    .url = url,
                    .pid = ::getpid(),
                    .start_ticks = *process_start_ticks(::getpid()),
                    .pid_space = pid_space()};
  if (auto written = replace_file(path, own.to_json()); !written) return written.error();
  return OwnJobFile(path);
}

OwnJobFile::~OwnJobFile() {
  if (!path_.empty()) ::unlink(path_.c_str());
}

}  // namespace muster::tool
