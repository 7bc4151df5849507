// What libFuzzer calls, for the one target of this program.

#include <cstddef>
#include <cstdint>
#include <span>

#include "fuzz/target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const muster::fuzz::Target target = muster::fuzz::targets().front();
  target.run(std::as_bytes(std::span(data, size)));
  return 0;
}
