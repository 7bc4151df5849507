// The same with a planted fault: a server that takes data in the clear while its handshake goes on.
// When that is not found, what is not found in `tls` says nothing.

#include "fuzz/target.hpp"
#include "fuzz/tls_plant.hpp"

using namespace muster;

MUSTER_FUZZ_TARGET(tls_canary) {
  fuzz::TlsPlant(wire::Reader(input), true).run();
}
