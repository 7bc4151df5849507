#include "private_folder.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/un.h>
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

Result<SocketFolder> SocketFolder::make() {
  std::vector<std::string> parents;
  const char* runtime = std::getenv("XDG_RUNTIME_DIR");
  if (runtime != nullptr && runtime[0] == '/') parents.emplace_back(runtime);
  parents.push_back(temporary_folder());
  parents.emplace_back("/tmp");
  std::string tried;
  for (const auto& parent : parents) {
    SocketFolder folder(parent + "/muster-XXXXXX");
    if (folder.socket_path().size() >= sizeof(sockaddr_un::sun_path)) {
      tried += fmt::format("; {}: too long for a socket", parent);
    } else if (::mkdtemp(folder.path_.data()) != nullptr) {
      return folder;
    } else {
      tried += fmt::format("; {}: {}", parent, std::strerror(errno));
    }
    folder.path_.clear();
  }
  return Error{.code = Code::system,
               .what = "cannot make a folder for the job's socket" + tried,
               .advice = "set XDG_RUNTIME_DIR or TMPDIR to a short path that you can write to"};
}

SocketFolder::~SocketFolder() {
  if (path_.empty()) return;
  ::unlink(socket_path().c_str());
  ::unlink(secret_path().c_str());
  ::rmdir(path_.c_str());
}

}  // namespace muster::tool
