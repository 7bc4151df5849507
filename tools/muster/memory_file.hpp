/// \file
/// Files that are in no folder and on no disk.
#pragma once

#include <string>

#include <muster/bytes.hpp>
#include <muster/result.hpp>

#include "net/fd.hpp"

namespace muster::tool {

/// Resource. A file in memory (memfd_create(2)) that processes of this user can open and read, each
/// from its beginning, as long as this process lives and holds it: nothing is left of it when this
/// process is killed. Nobody can change it.
class MemoryFile {
 public:
  /// Errors: `system`.
  static Result<MemoryFile> make(Bytes content);

  /// /proc/PID/fd/NUMBER. It needs no descriptor to be inherited, which the programs in between
  /// might close; but it is this process's /proc, so not for processes in another PID namespace.
  std::string path() const;

 private:
  explicit MemoryFile(net::Fd file) : file_(std::move(file)) {}
  net::Fd file_;
};

}  // namespace muster::tool
