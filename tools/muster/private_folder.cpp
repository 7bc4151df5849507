#include "private_folder.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace muster::tool {
namespace {

Error refused(const std::string& path, const std::string& problem, std::string advice) {
  return {.code = Code::system,
          .what = fmt::format("cannot use the folder {}: {}", path, problem),
          .advice = std::move(advice)};
}

}  // namespace

std::string temporary_folder() {
  const char* set = std::getenv("TMPDIR");
  return set != nullptr && set[0] == '/' ? set : "/tmp";
}

Result<void> check_private_folder(const std::string& path) {
  struct stat found {};
  if (::lstat(path.c_str(), &found) != 0) return refused(path, std::strerror(errno), "");
  if (!S_ISDIR(found.st_mode)) return refused(path, "it is not a folder", "remove it");
  if (found.st_uid != ::geteuid()) {
    return refused(path, fmt::format("it belongs to user {}, not to {}", found.st_uid, ::geteuid()),
                   "have it removed, or set XDG_RUNTIME_DIR or TMPDIR to another place");
  }
  if ((found.st_mode & 0077) != 0) {
    return refused(path, fmt::format("its mode is {:04o}, expected 0700", found.st_mode & 07777),
                   "chmod 700 it, after a look at what others put there");
  }
  return {};
}

Result<void> make_private_folder(const std::string& path) {
  if (::mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) {
    return refused(path, std::strerror(errno), "set XDG_RUNTIME_DIR or TMPDIR to one you can use");
  }
  return check_private_folder(path);
}

}  // namespace muster::tool
