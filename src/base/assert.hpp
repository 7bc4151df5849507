/// \file
/// Programmer errors end the process, in release builds too: going on with a broken invariant would
/// make other ranks pay for it.
#pragma once

namespace muster {

[[noreturn]] void assertion_failed(const char* expression, const char* file, int line);

}  // namespace muster

#define MUSTER_ASSERT(expression) \
  ((expression) ? void() : ::muster::assertion_failed(#expression, __FILE__, __LINE__))
