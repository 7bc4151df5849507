/// \file
/// Descriptors 0, 1 and 2, which programs read and write without looking what they are.
#pragma once

namespace muster {

/// Puts /dev/null where standard input, output or error are closed: else the next socket would be
/// opened there, and what the program prints would go to a peer. To be called before anything is
/// opened; does nothing if they are open, or if /dev/null cannot be.
void hold_standard_descriptors();

}  // namespace muster
