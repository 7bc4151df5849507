/// \file
/// What exchanges and requests are bound to (docs/reference/formats.md). A token never holds what
/// is being compared: ranks that differ must still meet, or nobody could say how they differ. Pure;
/// any thread.
#pragma once

#include <cstdint>

#include <muster/digest.hpp>
#include <muster/ids.hpp>
#include <muster/result.hpp>

namespace muster::accord {

/// `invalid_argument` unless 1 <= generation < 2^63.
Result<void> check_generation(std::uint64_t generation);

/// Binds an agreement to this job state, this start of the job and this set of living ranks, so
/// that none of them is taken for another.
Digest agreement_token(const Epoch& epoch, const Identity& identity);

/// The commitment that every later request carries: what agreement_token() binds, the number of the
/// request and the fingerprint agreed on. 1 <= generation < 2^63, or `invalid_argument`.
Result<Digest> request_token(const Epoch& epoch, const Identity& identity, std::uint64_t generation,
                             const Digest& fingerprint);

}  // namespace muster::accord

namespace muster::f332 {

/// The token of the reference's configuration exchange, in profile f332.
Digest config_exchange_token(const Epoch& epoch);

}  // namespace muster::f332
