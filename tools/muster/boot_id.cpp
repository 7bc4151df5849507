#include "boot_id.hpp"

#include <fstream>

namespace muster::tool {

std::string boot_id() {
  std::string boot;
  std::getline(std::ifstream("/proc/sys/kernel/random/boot_id"), boot);
  return boot;
}

}  // namespace muster::tool
