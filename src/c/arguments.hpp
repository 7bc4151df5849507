/// \file
/// What a C program has passed, checked and made into what C++ takes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>
#include <vector>

#include <muster/bytes.hpp>
#include <muster/deadline.hpp>
#include <muster/muster.h>
#include <muster/port_range.hpp>
#include <muster/result.hpp>

namespace muster::c {

/// Resource; one call's. Collects, and keeps the first thing that is wrong: to be asked for before
/// anything that was collected is used.
class Arguments {
 public:
  /// `pointer` must lead somewhere.
  Arguments& need(const void* pointer, const char* name);
  /// 0 and 1 are the two there are.
  bool flag(int value, const char* name) { return number(value, 0, 1, name) == 1; }
  int number(int value, int least, int most, const char* name);
  Bytes bytes(muster_bytes given, const char* name);
  std::string_view key(muster_bytes given, const char* name = "key");
  std::vector<Bytes> all_bytes(const muster_bytes* given, std::size_t count, const char* name);
  std::vector<std::string_view> keys(const muster_bytes* given, std::size_t count);
  /// Negative: the job's default. Infinity: the end of time.
  Deadline deadline(double seconds, const char* name = "timeout");
  /// Like a deadline's, but `otherwise` if it is negative.
  Duration duration(double seconds, Duration otherwise, const char* name);

  /// As much of `*given` as its struct_size says, over defaults that `init` sets.
  template <class Options>
  Options options(const Options* given, void (*init)(Options*, std::size_t), const char* name) {
    Options whole;
    init(&whole, sizeof whole);
    if (given == nullptr) return whole;
    if (!sized(given->struct_size, sizeof whole, name)) return whole;
    std::memcpy(&whole, given, given->struct_size);
    return whole;
  }

  /// Nothing if both are 0.
  std::optional<PortRange> ports(std::uint16_t first, std::uint16_t last);

  bool good() const { return !problem_; }
  Error problem() const { return *problem_; }

  /// Something else is wrong.
  void fail(std::string what, std::string advice);

 private:
  bool sized(std::size_t size, std::size_t known, const char* name);

  std::optional<Error> problem_;
};

/// Text, or nothing, of a pointer that may be null.
inline std::string_view text(const char* given) {
  return given != nullptr ? std::string_view(given) : std::string_view();
}

/// Sets all of `*options` that the caller has room for.
template <class Options>
void init_sized(Options* options, std::size_t struct_size, Options defaults) {
  if (options == nullptr) return;
  defaults.struct_size = std::min(struct_size, sizeof defaults);
  std::memcpy(options, &defaults, defaults.struct_size);
}

}  // namespace muster::c
