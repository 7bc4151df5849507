// A planted fault behind a word that only a fuzzer with eyes finds: the layers are compiled so that
// it sees its way through them. When it finds nothing here, it finds nothing elsewhere either.

#include "fuzz/target.hpp"
#include "wire/store_messages.hpp"

using namespace muster;

MUSTER_FUZZ_TARGET(canary) {
  const auto add = wire::decode_add(input);
  if (!add || add->key.size() != 4) return;
  std::size_t right = 0;
  if (add->key[0] == 's') ++right;
  if (right == 1 && add->key[1] == 'i') ++right;
  if (right == 2 && add->key[2] == 'n') ++right;
  if (right == 3 && add->key[3] == 'g') ++right;
  MUSTER_ASSERT(right < 4);
}
