#include "socket_folder.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>
#include <vector>

#include "boot_id.hpp"
#include "private_folder.hpp"

namespace muster::tool {
namespace {

constexpr const char* socket_name = "socket";

/// What the names of this boot's folders begin with; empty if nobody says which boot it is.
std::string name_prefix() {
  const std::string boot = boot_id();
  return boot.size() < 8 ? "" : fmt::format("muster-{}-", boot.substr(0, 8));
}

std::string lock_path(const std::string& folder) {
  return folder + "/lock";
}

/// Not if there is anything else in it.
void remove_folder(const std::string& path) {
  ::unlink((path + "/" + socket_name).c_str());
  ::unlink(lock_path(path).c_str());
  ::rmdir(path.c_str());
}

/// Whoever gets the lock of one of this boot's folders may remove it.
void sweep(const std::string& parent, const std::string& prefix) {
  if (prefix.empty()) return;
  std::error_code failed;
  std::filesystem::directory_iterator each(parent, failed);
  for (; !failed && each != std::filesystem::directory_iterator(); each.increment(failed)) {
    const std::string path = each->path().string();
    if (!each->path().filename().string().starts_with(prefix)) continue;
    if (!check_private_folder(path)) continue;  // others might put links there
    const net::Fd lock(::open(lock_path(path).c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
    if (lock && ::flock(lock.get(), LOCK_EX | LOCK_NB) == 0) remove_folder(path);
  }
}

/// Its path; empty and errno set, if none can be made.
std::string make_folder(const std::string& form, net::Fd& lock) {
  for (;;) {
    std::string path = form;
    if (::mkdtemp(path.data()) == nullptr) return {};
    lock.reset(::open(lock_path(path).c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    if (!lock) {
      const int error = errno;
      ::rmdir(path.c_str());
      errno = error;
      return {};
    }
    // Where it cannot be locked nobody else can lock it either.
    while (::flock(lock.get(), LOCK_EX) != 0 && errno == EINTR) continue;
    // Before that another process may have taken it for one that was left.
    if (struct stat found{}; ::lstat(lock_path(path).c_str(), &found) == 0) return path;
  }
}

}  // namespace

Result<SocketFolder> SocketFolder::make() {
  std::vector<std::string> parents;
  const char* runtime = std::getenv("XDG_RUNTIME_DIR");
  if (runtime != nullptr && runtime[0] == '/') parents.emplace_back(runtime);
  parents.push_back(temporary_folder());
  parents.emplace_back("/tmp");
  const std::string prefix = name_prefix();
  std::string tried;
  for (const auto& parent : parents) {
    const std::string form = parent + "/" + (prefix.empty() ? "muster-" : prefix) + "XXXXXX";
    if (form.size() + 1 + std::strlen(socket_name) >= sizeof(sockaddr_un::sun_path)) {
      tried += fmt::format("; {}: too long for a socket", parent);
      continue;
    }
    sweep(parent, prefix);
    net::Fd lock;
    const std::string path = make_folder(form, lock);
    if (!path.empty()) return SocketFolder(path, std::move(lock));
    tried += fmt::format("; {}: {}", parent, std::strerror(errno));
  }
  return Error{.code = Code::system,
               .what = "cannot make a folder for the job's socket" + tried,
               .advice = "set XDG_RUNTIME_DIR or TMPDIR to a short path that you can write to"};
}

std::string SocketFolder::socket_path() const {
  return path_ + "/" + socket_name;
}

SocketFolder::~SocketFolder() {
  if (lock_) remove_folder(path_);
}

}  // namespace muster::tool
