// Failures, and what a rank says when it goes.

#include "wire/notices.hpp"

#include "fuzz/round_trip.hpp"
#include "fuzz/target.hpp"

using namespace muster;

MUSTER_FUZZ_TARGET(notices) {
  if (const auto fail = wire::decode_fail(input)) wire::must_encode_to(input, *fail);
  if (const auto leave = wire::decode_leave(input)) wire::must_encode_to(input, *leave);
  if (const auto failure = wire::decode_failure(input)) {
    wire::must_come_back(*failure, wire::decode_failure);
    MUSTER_ASSERT(!wire::to_error(*failure, Phase::operation).text().empty());
  }
}
