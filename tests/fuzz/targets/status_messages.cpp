// The roster, as it travels.

#include "wire/status_messages.hpp"

#include "fuzz/round_trip.hpp"
#include "fuzz/target.hpp"
#include "wire/notices.hpp"

using namespace muster;

MUSTER_FUZZ_TARGET(status_messages) {
  if (const auto asked = wire::decode_status_request(input)) wire::must_encode_to(input, *asked);
  if (const auto status = wire::decode_status(input)) {
    wire::must_come_back(*status, wire::decode_status);
  }
}
