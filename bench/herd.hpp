/// \file
/// Many ranks of one process, without a client's code: what they cost is the server's.
#pragma once

#include <cstdint>
#include <vector>

#include "served.hpp"
#include "side.hpp"

namespace muster::bench {

/// Resource. Connections that are dropped at once when it ends.
class Herd {
 public:
  Herd() = default;
  ~Herd();
  Herd(const Herd&) = delete;
  Herd& operator=(const Herd&) = delete;

  /// `count` connections more that say nothing.
  void connect(const Served& server, std::uint32_t count);
  /// `size` connections more; each is a rank, and has said so before the next connects.
  void join(Side& side, const Served& server, std::uint32_t size);
  /// Until each rank has heard that all are in.
  void until_released();

 private:
  std::vector<int> mute_;
  std::vector<int> ranks_;
};

/// Lets this process, and those it starts, have as many descriptors as the system allows.
void raise_descriptor_limit();

}  // namespace muster::bench
