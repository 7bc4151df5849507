/// \file
/// Captured sessions of version 0: tests/vectors/wire-v0.json.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <muster/bytes.hpp>

#include "wire/frame.hpp"

namespace muster::version0 {

/// Value. One piece that one side sent; without bytes the server closed.
struct Step {
  bool by_client = false;
  std::string bytes;
};

/// Value.
struct Session {
  std::string name;
  std::vector<Step> steps;

  /// All that one side sent behind its hello, cut into frames.
  struct Frame {
    wire::FrameHeader header;
    Value body;
  };
  std::vector<Frame> frames(bool by_client) const;
};

/// All of them, in the order in which they were captured: later ones find what earlier ones left.
const std::vector<Session>& sessions();
const Session& session(std::string_view name);

}  // namespace muster::version0
