/// \file
/// A directory of a test's own.
#pragma once

#include <filesystem>
#include <string>

namespace muster::support {

/// Resource. Made empty, for this user alone; goes with everything in it.
class TempDir {
 public:
  TempDir();
  ~TempDir();
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::string file(const std::string& name) const { return path_ / name; }
  /// "unix:///tmp/.../NAME".
  std::string unix_url(const std::string& name = "job.sock") const {
    return "unix://" + file(name);
  }

 private:
  std::filesystem::path path_;
};

}  // namespace muster::support
