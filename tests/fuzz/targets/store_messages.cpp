// Requests to the table.

#include "wire/store_messages.hpp"

#include "fuzz/round_trip.hpp"
#include "fuzz/target.hpp"

using namespace muster;

MUSTER_FUZZ_TARGET(store_messages) {
  if (const auto set = wire::decode_set(input)) wire::must_encode_to(input, *set);
  if (const auto get = wire::decode_get(input)) wire::must_encode_to(input, *get);
  if (const auto add = wire::decode_add(input)) wire::must_encode_to(input, *add);
  if (const auto remove = wire::decode_remove(input)) wire::must_encode_to(input, *remove);
  if (const auto append = wire::decode_append(input)) wire::must_encode_to(input, *append);
  if (const auto swap = wire::decode_compare_set(input)) wire::must_encode_to(input, *swap);
  if (const auto was = wire::decode_compare_set_answer(input)) wire::must_encode_to(input, *was);
}
