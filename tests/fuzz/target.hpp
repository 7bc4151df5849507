/// \file
/// A fuzz target: code that takes any bytes, and what must hold of it.
#pragma once

#include <string_view>
#include <vector>

#include <muster/bytes.hpp>

#include "base/assert.hpp"

namespace muster::fuzz {

/// Value. `run` returns for every input, or the input is a finding: what must hold is said with
/// MUSTER_ASSERT.
struct Target {
  std::string_view name;
  void (*run)(Bytes input);
};

/// Those of the files that are linked: one in a fuzzer, all in the test that replays the corpus.
inline std::vector<Target>& targets() {
  static std::vector<Target> all;
  return all;
}

struct Registration {
  Registration(std::string_view name, void (*run)(Bytes)) { targets().push_back({name, run}); }
};

}  // namespace muster::fuzz

/// One a file; the file, the target and the folder of its corpus have one name.
#define MUSTER_FUZZ_TARGET(name)                                             \
  static void name(::muster::Bytes input);                                   \
  static const ::muster::fuzz::Registration name##_is_a_target(#name, name); \
  static void name(::muster::Bytes input)
