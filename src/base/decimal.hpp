/// \file
/// Binary64 numbers as text.
#pragma once

#include <string>

namespace muster {

/// The shortest decimal that reads back as the same number, always recognisable as a real one:
/// `60.0`, `0.132`, `1e+16`, `5e-324`. Fixed notation for 1e-4 <= |number| < 1e16, otherwise an
/// exponent of a sign and at least two digits; `nan`, `inf`, `-inf` for what is not finite. This is
/// the form that CPython's repr gives.
std::string decimal(double number);

}  // namespace muster
