/// \file
/// The folder of a job's Unix socket.
#pragma once

#include <string>

#include <muster/result.hpp>

#include "net/fd.hpp"

namespace muster::tool {

/// Resource. A fresh folder with room for a Unix socket, that only this user can enter, gone with
/// the socket when this is destroyed.
///
/// As long as it is there its maker holds a lock (flock) on a file in it, which the system takes
/// back however the maker ends: so a folder whose file is not locked was left by a maker that was
/// killed. Folders are named after the boot of this host, since nobody can tell that of another
/// host's on a shared disk.
class SocketFolder {
 public:
  /// Under XDG_RUNTIME_DIR, else the temporary folder, else /tmp, wherever one can be made whose
  /// path leaves room for a socket. Removes what killed makers have left there. Errors: `system`.
  static Result<SocketFolder> make();

  SocketFolder(SocketFolder&& other) noexcept = default;
  SocketFolder& operator=(SocketFolder&&) = delete;
  ~SocketFolder();

  /// Where the socket goes.
  std::string socket_path() const;

 private:
  SocketFolder(std::string path, net::Fd lock) : path_(std::move(path)), lock_(std::move(lock)) {}

  std::string path_;
  net::Fd lock_;  ///< the file
};

}  // namespace muster::tool
