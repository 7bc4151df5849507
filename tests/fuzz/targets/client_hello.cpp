// What a stranger says first. A hello is whole at one length only, however it comes in.

#include <algorithm>

#include "base/limits.hpp"
#include "fuzz/target.hpp"
#include "wire/hello.hpp"

using namespace muster;

MUSTER_FUZZ_TARGET(client_hello) {
  const wire::HelloScan whole = wire::scan_client_hello(input);
  for (std::size_t size = 0; size < std::min<std::size_t>(input.size(), 1100); ++size) {
    const wire::HelloScan part = wire::scan_client_hello(input.first(size));
    if (part.state == wire::HelloState::more) continue;
    MUSTER_ASSERT(part.state == whole.state && part.length == whole.length);
    break;
  }
  if (whole.state == wire::HelloState::complete) {
    MUSTER_ASSERT(whole.length <= input.size() && whole.length <= limits::hello_bytes_max);
    input = input.first(whole.length);
  }
  const auto hello = wire::decode_client_hello(input);
  const bool ours =
      hello && hello->version_min <= wire::version && wire::version <= hello->version_max;
  const bool cut = hello && (hello->host.size() > limits::host_bytes_max ||
                             hello->job.size() > limits::job_id_bytes_max);
  if (!ours || cut || input.size() > limits::hello_bytes_max) return;
  MUSTER_ASSERT(std::ranges::equal(wire::encode(*hello), input));
}
