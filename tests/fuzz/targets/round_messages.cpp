// Arrivals and verdicts.

#include "wire/round_messages.hpp"

#include "fuzz/round_trip.hpp"
#include "fuzz/target.hpp"

using namespace muster;

MUSTER_FUZZ_TARGET(round_messages) {
  if (const auto arrive = wire::decode_arrive(input)) wire::must_encode_to(input, *arrive);
  if (const auto parts = wire::decode_verdict(input)) {
    Value again;
    wire::encode_verdict(*parts, again);
    MUSTER_ASSERT(std::ranges::equal(again, input));
  }
}
