#include "memory_file.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace muster::tool {

Result<MemoryFile> MemoryFile::make(Bytes content) {
  net::Fd file(::memfd_create("muster", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  constexpr int seals = F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL;
  if (file && ::fchmod(file.get(), 0400) == 0 &&
      ::write(file.get(), content.data(), content.size()) == std::ssize(content) &&
      ::fcntl(file.get(), F_ADD_SEALS, seals) == 0) {
    return MemoryFile(std::move(file));
  }
  return Error{.code = Code::system,
               .what = fmt::format("cannot make a file in memory: {}", std::strerror(errno))};
}

std::string MemoryFile::path() const {
  return fmt::format("/proc/{}/fd/{}", ::getpid(), file_.get());
}

}  // namespace muster::tool
