#include "paths/paths.hpp"

namespace muster::paths {

std::string source(const std::string& relative) {
  return MUSTER_SOURCE_DIR "/" + relative;
}

std::string program(const std::string& name) {
  return MUSTER_BIN_DIR "/" + name;
}

}  // namespace muster::paths
