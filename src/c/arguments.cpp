#include "c/arguments.hpp"

#include <fmt/format.h>

#include "base/limits.hpp"
#include "base/seconds.hpp"

namespace muster::c {
namespace {

constexpr double longest_s = to_seconds(limits::wait_max);

}  // namespace

std::optional<PortRange> Arguments::ports(std::uint16_t first, std::uint16_t last) {
  if (last < first || (first == 0 && last != 0)) {
    fail(fmt::format("port_first is {} and port_last {}", first, last),
         "expected two ports, the first not above the last; or 0 and 0");
  }
  if (first == 0) return std::nullopt;
  return PortRange{first, last};
}

void Arguments::fail(std::string what, std::string advice) {
  if (problem_) return;
  problem_ =
      Error{.code = Code::invalid_argument, .what = std::move(what), .advice = std::move(advice)};
}

Arguments& Arguments::need(const void* pointer, const char* name) {
  if (pointer == nullptr) fail(fmt::format("{} is NULL", name), "expected a pointer to something");
  return *this;
}

int Arguments::number(int value, int least, int most, const char* name) {
  if (value < least || value > most) {
    fail(fmt::format("{} is {}", name, value), fmt::format("expected {} to {}", least, most));
  }
  return value;
}

Bytes Arguments::bytes(muster_bytes given, const char* name) {
  if (given.length == 0) return {};
  need(given.data, name);
  return {static_cast<const std::byte*>(given.data), given.length};
}

std::string_view Arguments::key(muster_bytes given, const char* name) {
  return as_text(bytes(given, name));
}

std::vector<Bytes> Arguments::all_bytes(const muster_bytes* given, std::size_t count,
                                        const char* name) {
  std::vector<Bytes> all;
  if (count > 0) need(given, name);
  for (std::size_t i = 0; given != nullptr && i < count; ++i) all.push_back(bytes(given[i], name));
  return all;
}

std::vector<std::string_view> Arguments::keys(const muster_bytes* given, std::size_t count) {
  std::vector<std::string_view> all;
  for (const Bytes each : all_bytes(given, count, "keys")) all.push_back(as_text(each));
  return all;
}

Deadline Arguments::deadline(double seconds, const char* name) {
  if (seconds < 0) return {};
  return Deadline::in(duration(seconds, {}, name));
}

Duration Arguments::duration(double seconds, Duration otherwise, const char* name) {
  if (seconds < 0) return otherwise;
  // Written so that NaN is refused.
  if (!(seconds >= 0)) fail(fmt::format("{} is {}", name, seconds), "expected seconds");
  if (!(seconds < longest_s)) return limits::wait_max;
  return from_seconds(seconds);
}

bool Arguments::sized(std::size_t size, std::size_t known, const char* name) {
  if (size >= sizeof(std::size_t) && size <= known) return true;
  fail(fmt::format("the struct_size of {} is {}, at most {} are known", name, size, known),
       "call the init function of that struct first; if you did, the library is older than the "
       "<muster/muster.h> that the program was built with");
  return false;
}

}  // namespace muster::c
