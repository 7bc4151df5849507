#include "whole_file.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "net/fd.hpp"

namespace muster::tool {
namespace {

Error failed(const std::string& what) {
  return {.code = Code::system, .what = fmt::format("{}: {}", what, std::strerror(errno))};
}

}  // namespace

Result<void> replace_file(const std::string& path, const std::string& text) {
  struct stat found {};
  if (::lstat(path.c_str(), &found) == 0 && !S_ISREG(found.st_mode)) {
    return Error{.code = Code::invalid_argument,
                 .what = path + " is no regular file",
                 .advice = "give the path of a new file, or of one to replace"};
  }
  const std::string draft = fmt::format("{}.{}", path, ::getpid());
  const net::Fd file(::open(draft.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!file) return failed("cannot create " + draft);
  const bool written =
      ::write(file.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
  if (written && ::rename(draft.c_str(), path.c_str()) == 0) return {};
  Error error = failed("cannot write " + path);
  ::unlink(draft.c_str());
  return error;
}

}  // namespace muster::tool
