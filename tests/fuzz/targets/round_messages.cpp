// Arrivals and verdicts.

#include "wire/round_messages.hpp"

#include "fuzz/round_trip.hpp"
#include "fuzz/target.hpp"

using namespace muster;

MUSTER_FUZZ_TARGET(round_messages) {
  if (const auto arrive = wire::decode_arrive(input)) wire::must_encode_to(input, *arrive);
  if (const auto parts = wire::decode_verdict(to_value(input))) {
    const std::vector<Bytes> all(parts->begin(), parts->end());
    Value again;
    wire::encode_verdict(all, again);
    MUSTER_ASSERT(std::ranges::equal(again, input));
  }
}
