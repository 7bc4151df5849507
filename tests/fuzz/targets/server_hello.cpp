// What a server says first: its hello, and the body of a welcome.

#include "base/limits.hpp"
#include "fuzz/round_trip.hpp"
#include "fuzz/target.hpp"
#include "wire/hello.hpp"

using namespace muster;

namespace {

void take_welcome(Bytes body) {
  const auto welcome = wire::decode_welcome(body);
  if (welcome && welcome->host.size() <= limits::host_bytes_max) {
    wire::must_encode_to(body, *welcome);
  }
}

}  // namespace

MUSTER_FUZZ_TARGET(server_hello) {
  take_welcome(input);
  const wire::HelloScan scan = wire::scan_server_hello(input);
  if (scan.state != wire::HelloState::complete) return;
  MUSTER_ASSERT(scan.length <= input.size() && scan.length <= limits::hello_bytes_max);
  const Bytes first = input.first(scan.length);
  take_welcome(input.subspan(scan.length));
  const auto hello = wire::decode_server_hello(first);
  if (!hello || hello->version != wire::version) return;
  if (hello->job.size() > limits::job_id_bytes_max) return;
  MUSTER_ASSERT(std::ranges::equal(wire::encode(*hello), first));
}
