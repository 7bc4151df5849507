#include "base/private_file.hpp"

#include <cerrno>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/keyed.hpp"
#include "base/regular_file.hpp"
#include "base/text.hpp"
#include "base/usage_error.hpp"

namespace muster {
namespace {

constexpr const char* private_advice = "it is to belong to you, with mode 0600 or 0400";

/// Closes a descriptor at the end of the scope.
struct Closer {
  int fd;
  ~Closer() { ::close(fd); }
};

Result<Value> read_to_end(int fd, std::string_view source, std::size_t bytes_max) {
  // One byte more for the newline, and one to see that there is too much.
  Value bytes(bytes_max + 2);
  std::size_t size = 0;
  while (size < bytes.size()) {
    const ssize_t got = ::read(fd, bytes.data() + size, bytes.size() - size);
    if (got == 0) break;
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return unreadable(source, errno);
    size += static_cast<std::size_t>(got);
  }
  if (size != 0 && bytes[size - 1] == std::byte{'\n'}) --size;
  Value content;
  if (size <= bytes_max) content = to_value(Bytes(bytes).first(size));
  wipe(bytes);
  if (size <= bytes_max) return content;
  return usage_error(fmt::format("{} holds more than {} bytes", source, bytes_max));
}

/// Nobody but its owner, who is this user or root, may read or change it.
Result<void> check_access(int fd, std::string_view source) {
  struct stat found {};
  if (::fstat(fd, &found) != 0) return unreadable(source, errno);
  const auto refuse = [source](std::string_view what) {
    return usage_error(fmt::format("{} {}", source, what), private_advice);
  };
  if (!S_ISREG(found.st_mode)) return refuse("is no regular file");
  if (found.st_uid != ::geteuid() && found.st_uid != 0) return refuse("belongs to another user");
  if ((found.st_mode & 0077U) == 0) return {};
  return refuse(
      fmt::format("has mode {:04o}: others may read or change it", found.st_mode & 07777U));
}

Result<Value> read(const std::string& path, std::string_view what, std::size_t bytes_max,
                   bool is_private) {
  const std::string source = fmt::format("{} {}", what, quoted(path));
  const char* advice = is_private ? private_advice : "expected the path of a file";
  if (Result<void> good = check_regular_file(path, source, advice); !good) {
    return std::move(good).error();
  }
  // Not to wait for a writer, if it has become a pipe in between.
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (fd < 0) return unreadable(source, errno);
  const Closer closer{fd};
  if (is_private) {
    if (Result<void> good = check_access(fd, source); !good) return std::move(good).error();
  }
  return read_to_end(fd, source, bytes_max);
}

}  // namespace

Result<Value> read_private_file(const std::string& path, std::string_view what,
                                std::size_t bytes_max) {
  return read(path, what, bytes_max, true);
}

Result<Value> read_file(const std::string& path, std::string_view what, std::size_t bytes_max) {
  return read(path, what, bytes_max, false);
}

Result<Value> read_private_fd(int fd, std::string_view what, std::size_t bytes_max) {
  const std::string source = fmt::format("{} in descriptor {}", what, fd);
  if (::fcntl(fd, F_GETFD) < 0) return unreadable(source, errno);
  const Closer closer{fd};
  return read_to_end(fd, source, bytes_max);
}

}  // namespace muster
