#include "base/regular_file.hpp"

#include <cerrno>
#include <fmt/format.h>
#include <sys/stat.h>
#include <system_error>
#include <utility>

#include "base/usage_error.hpp"

namespace muster {
namespace {

const char* kind(mode_t mode) {
  if (S_ISDIR(mode)) return "a directory";
  if (S_ISFIFO(mode)) return "a FIFO";
  if (S_ISSOCK(mode)) return "a socket";
  if (S_ISCHR(mode) || S_ISBLK(mode)) return "a device";
  return "something else";
}

}  // namespace

Result<void> check_regular_file(const std::string& path, std::string_view source,
                                std::string advice) {
  struct stat found {};
  if (::stat(path.c_str(), &found) != 0) return unreadable(source, errno);
  if (S_ISREG(found.st_mode)) return {};
  return usage_error(fmt::format("{} is no regular file, but {}", source, kind(found.st_mode)),
                     std::move(advice));
}

Error unreadable(std::string_view source, int error) {
  return Error{
      .code = Code::system,
      .what = fmt::format("cannot read {}: {}", source, std::generic_category().message(error)),
      .advice = "expected the path of a file that this user may read",
      .exit_code = 2};
}

}  // namespace muster
