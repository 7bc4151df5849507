/// \file
/// What is measured, each as one number.
#pragma once

#include <cstdint>
#include <string>

#include "side.hpp"

namespace muster::bench {

/// Value. How much of each; the tiny one shows only that everything runs.
struct Scale {
  Transport transport = Transport::tcp;
  std::string folder;  ///< private, for sockets
  bool tiny = false;
};

/// Median of single GETs by one client, which has a core to itself, as the server has.
double get_p50_us(Side& side, const Scale& scale);
/// GETs a second of eight clients together.
double get_rate(Side& side, const Scale& scale);
/// Time of one round, over many.
double barrier_us(Side& side, const Scale& scale, std::uint32_t size);
double allgather_us(Side& side, const Scale& scale, std::uint32_t size);
/// From kill -9 of one of `size` blocked ranks until the last of the others knows.
double loss_ms(Side& side, const Scale& scale, std::uint32_t size);
/// From the first of `size` ranks to leave until the last has left.
double leave_ms(Side& side, const Scale& scale, std::uint32_t size);

}  // namespace muster::bench
