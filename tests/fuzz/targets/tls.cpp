// What is between a server and its clients once a job is served over TLS, and somebody on the way
// who cuts, flips, reorders, repeats, puts in and replays. Whatever he does, neither side hears
// what the other has not said, nobody without the secret gets in, and nothing piles up.

#include "fuzz/target.hpp"
#include "fuzz/tls_plant.hpp"

using namespace muster;

MUSTER_FUZZ_TARGET(tls) {
  fuzz::TlsPlant(wire::Reader(input), false).run();
}
