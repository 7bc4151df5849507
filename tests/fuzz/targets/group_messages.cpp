// Subsets, opened and closed.

#include "wire/group_messages.hpp"

#include "fuzz/round_trip.hpp"
#include "fuzz/target.hpp"

using namespace muster;

MUSTER_FUZZ_TARGET(group_messages) {
  if (const auto open = wire::decode_open_group(input)) wire::must_encode_to(input, *open);
  if (const auto close = wire::decode_close_group(input)) wire::must_encode_to(input, *close);
}
