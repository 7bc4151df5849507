#include "base/assert.hpp"

#include <cstdio>
#include <cstdlib>

namespace muster {

void assertion_failed(const char* expression, const char* file, int line) {
  std::fprintf(stderr, "muster: broken invariant: %s (%s:%d). Please report this.\n", expression,
               file, line);
  std::abort();
}

}  // namespace muster
