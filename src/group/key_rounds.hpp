/// \file
/// What stands under the keys of a key-based group, and how it is read.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <muster/bytes.hpp>
#include <muster/parts.hpp>
#include <muster/result.hpp>

namespace muster {

/// Value. The two keys of one round: where ranks arrive, and where they wait.
struct RoundKeys {
  std::string arrive;
  std::string wait;
};
/// `letter`: 'B' for a barrier, 'G' for an allgather.
RoundKeys round_keys(std::uint32_t version, std::uint64_t number, char letter);

/// What a rank brings to an allgather: {u32 rank, payload}.
Value gathered_item(std::uint32_t rank, Bytes payload);

/// All that was brought, each with `payload_bytes`, in order of rank. `mismatch` if it is not one
/// item of that size from each of `size` ranks.
Result<Parts> gathered_parts(Bytes all, std::uint32_t size, std::size_t payload_bytes);

/// The ranks of `size` that have brought nothing yet; none if what is there can't be read.
std::vector<std::uint32_t> missing_ranks(Bytes some, std::uint32_t size, std::size_t payload_bytes);

}  // namespace muster
