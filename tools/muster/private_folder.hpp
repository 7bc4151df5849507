/// \file
/// Folders that only this user can enter.
#pragma once

#include <string>
#include <vector>

#include <muster/result.hpp>

namespace muster::tool {

/// TMPDIR, else /tmp.
std::string temporary_folder();

/// Checks that `path` is a folder (no link) of this user that nobody else may enter. Errors:
/// `system`, with what was found and what to do.
Result<void> check_private_folder(const std::string& path);

/// Makes `path`, mode 0700, if it is not there, and checks it.
Result<void> make_private_folder(const std::string& path);

/// Resource. A fresh folder with room for a Unix socket and a secret, gone with all that is in it
/// when this is destroyed.
class SocketFolder {
 public:
  /// Under XDG_RUNTIME_DIR, else the temporary folder, else /tmp, wherever one can be made whose
  /// path leaves room for a socket. Errors: `system`.
  static Result<SocketFolder> make();

  SocketFolder(SocketFolder&& other) noexcept : path_(std::move(other.path_)) {
    other.path_.clear();
  }
  SocketFolder& operator=(SocketFolder&&) = delete;
  ~SocketFolder();

  /// Where the socket goes.
  std::string socket_path() const { return path_ + "/socket"; }
  /// Where the job's secret goes, if it has to be in a file.
  std::string secret_path() const { return path_ + "/secret"; }

 private:
  explicit SocketFolder(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

}  // namespace muster::tool
