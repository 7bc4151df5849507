/// \file
/// A peer that has no business with the job: it must not matter.
#pragma once

#include <cstdint>

#include "network.hpp"

namespace muster::sim {

/// Resource. run() is the body of a thread: noise, half a hello, the hello of
/// another job or of another start of this one, or silence.
class Stranger final : private Receiver {
 public:
  Stranger(Network& network, std::uint64_t seed) : network_(network), dice_(seed) {}

  void run();

 private:
  void received(Bytes) override {}
  void closed(std::string_view) override { closed_ = true; }
  Value first_bytes();

  Network& network_;
  Dice dice_;
  bool closed_ = false;
};

}  // namespace muster::sim
