#include "trace.hpp"

#include <fmt/format.h>

namespace muster::sim {

void Trace::say(std::string_view who, std::string_view what) const {
  const double seconds = std::chrono::duration<double>(scheduler_.elapsed()).count();
  fmt::print("{:12.6f} s  {}: {}\n", seconds, who, what);
}

}  // namespace muster::sim
