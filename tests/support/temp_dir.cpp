#include "support/temp_dir.hpp"

#include <cerrno>
#include <cstdlib>
#include <system_error>

namespace muster::support {

TempDir::TempDir() {
  // Short, because a socket's path has room for 107 bytes.
  std::string name = "/tmp/muster-XXXXXX";
  if (::mkdtemp(name.data()) == nullptr) {
    throw std::system_error(errno, std::generic_category(), "mkdtemp");
  }
  path_ = name;
}

TempDir::~TempDir() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace muster::support
