/// \file
/// The note that a serving process leaves for `muster status`: where its job can be reached.
///
/// JOB.json, mode 0600, in $XDG_RUNTIME_DIR/muster or else in muster-UID under the temporary
/// folder. It holds no secret.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

#include <muster/result.hpp>

namespace muster::tool {

/// Value.
struct JobFile {
  std::string job;
  std::string url;
  pid_t pid = 0;                  ///< of the serving process
  std::uint64_t start_ticks = 0;  ///< when it started (proc(5), stat, field 22): pids come again
  std::string pid_space;          ///< whose pids these are: pid_space() of that process

  /// Whether that process still runs, and can be seen from here.
  bool alive() const;
  /// Whether it certainly does not.
  bool dead() const;

  std::string to_json() const;
  /// Nothing if it is no job file.
  static std::optional<JobFile> from_json(std::string_view text);
  /// `system` or `invalid_argument`, with the path.
  static Result<JobFile> read(const std::string& path);

  bool operator==(const JobFile&) const = default;
};

/// When process `pid` started; nothing if there is none.
std::optional<std::uint64_t> process_start_ticks(pid_t pid);

/// The boot of this host and this process's PID namespace: elsewhere its pid is another's.
std::string pid_space();

/// This user's jobs whose serving process runs, by name.
std::vector<JobFile> live_jobs();

/// Resource. A job file of this process, removed when this is destroyed.
class OwnJobFile {
 public:
  /// Removes what dead processes have left. Errors: `busy` if a living process of this user serves
  /// a job of that name; `system`.
  static Result<OwnJobFile> write(const std::string& job, const std::string& url);

  OwnJobFile(OwnJobFile&& other) noexcept : path_(std::move(other.path_)) { other.path_.clear(); }
  OwnJobFile& operator=(OwnJobFile&& other) noexcept {
    path_.swap(other.path_);
    return *this;
  }
  ~OwnJobFile();

  const std::string& path() const { return path_; }

 private:
  explicit OwnJobFile(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

}  // namespace muster::tool
