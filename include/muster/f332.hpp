/// \file
/// Profile f332: the reference's three-value configuration, bit for bit (what it is for:
/// docs/reference/cli-config.md). All of it is pure, and safe from any thread. Invalid input is
/// `invalid_argument` and says which value was refused and why; nothing is hashed then.
#pragma once

#include <cstdint>

#include <muster/digest.hpp>
#include <muster/export.hpp>
#include <muster/ids.hpp>
#include <muster/result.hpp>

namespace muster::f332 {

/// Value. Seconds, seconds, and a fraction of the interval.
struct Config {
  double interval = 0;  ///< finite, >= 0; 0 means that renewal is off
  double timeout = 0;   ///< finite, > 0
  double jitter = 0;    ///< finite, 0 to 0.5; interval * (1 + jitter) must be finite
};

/// SHA-256 of the label, the epoch and the three binary64 images; a jitter of -0.0 counts as 0.0
/// (section 3.2).
MUSTER_API Result<Digest> fingerprint(const Epoch& epoch, const Config& config);

/// The token of renewal `generation` under a configuration (section 4.4). 1 <= generation < 2^63.
MUSTER_API Result<Digest> request_token(const Epoch& epoch, std::uint64_t generation,
                                        const Digest& fingerprint);

/// Seconds from the last completed generation to `generation` (section 5): at least the interval,
/// less than interval * (1 + jitter). 1 <= generation < 2^63.
MUSTER_API Result<double> delay(const Epoch& epoch, std::uint64_t generation, double interval,
                                double jitter);

/// Recomputes known values, among them one that a fused multiply-add gets wrong: `system` if this
/// build does not compute the reference's bits. Costs microseconds; done once at the start of a
/// job.
MUSTER_API Result<void> self_test();

}  // namespace muster::f332
