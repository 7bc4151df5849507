// Bodies of version 0, as requests and as answers.

#include <algorithm>

#include "base/limits.hpp"
#include "fuzz/target.hpp"
#include "wire/v0_answers.hpp"
#include "wire/v0_requests.hpp"

using namespace muster;

MUSTER_FUZZ_TARGET(version0) {
  for (const auto operation : {wire::v0::Operation::get, wire::v0::Operation::compare_set}) {
    const auto value = wire::v0::unpack_value(input, operation);
    MUSTER_ASSERT(!value || value->size() <= input.size());
  }
  const auto request = wire::v0::unpack_request(input);
  if (!request) {
    MUSTER_ASSERT(request.error().code == Code::protocol && !request.error().what.empty());
    return;
  }
  Value packed;
  wire::v0::pack(*request, packed);
  MUSTER_ASSERT(packed.size() == wire::v0::packed_bytes(*request));
  MUSTER_ASSERT(packed.size() <= input.size());  // what is behind a body is not part of it
  const auto again = wire::v0::unpack_request(packed);
  MUSTER_ASSERT(again.ok() && again->index() == request->index());
  Value twice;
  wire::v0::pack(*again, twice);
  MUSTER_ASSERT(std::ranges::equal(twice, packed));
}
