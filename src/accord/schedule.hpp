/// \file
/// The arithmetic of the renewal schedule of profile f332, apart from its input
/// checks so that a test can put in the digest. Pure; any thread.
#pragma once

#include <cstdint>

#include <muster/digest.hpp>
#include <muster/ids.hpp>

namespace muster::f332 {

/// What decides how late renewal `generation` of a job comes.
Digest schedule_digest(const Epoch& epoch, std::uint64_t generation);

/// Seconds until the renewal. Takes an interval and a jitter that delay() would accept.
///
/// Every step is rounded to binary64 on its own. A fused multiply-add gives other last bits for
/// some 3 to 5 percent of all digests, so this file is compiled with -ffp-contract=off, whatever
/// the rest is compiled with; self_test() notices when it is not.
double delay_from_digest(const Digest& digest, double interval, double jitter);

}  // namespace muster::f332
