#include "base/host.hpp"

#include <sys/utsname.h>
#include <unistd.h>

namespace muster {

std::string host_name() {
  utsname names{};
  return uname(&names) == 0 && names.nodename[0] != '\0' ? names.nodename : "unknown";
}

std::uint32_t process_id() {
  return static_cast<std::uint32_t>(getpid());
}

}  // namespace muster
