/// \file
/// The collective: one message, ARRIVE, and one answer, the verdict.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <muster/bytes.hpp>
#include <muster/digest.hpp>
#include <muster/kind.hpp>
#include <muster/parts.hpp>

namespace muster::wire {

/// The group of all ranks.
inline constexpr std::uint64_t world_group = 0;

struct Part {
  std::uint32_t rank = 0;
  Bytes payload;
};

/// {u64 group, u64 sequence, u8 kind, u8 has_token, u16 zero, u32 root, u32 milliseconds left,
///  text label, [32 bytes token], u32 parts, per part: u32 rank, value}. One part at least,
/// ascending by rank: a link brings a part for each rank that it speaks for. A scatter's root, and
/// each rank of an alltoall, brings the parts of all ranks in one value, in the form of a verdict's
/// body. Label and payloads are borrowed.
struct Arrive {
  std::uint64_t group = world_group;
  std::uint64_t sequence = 0;  ///< counts the group's rounds from 1
  Kind kind = Kind::barrier;
  std::uint32_t root = 0;
  std::uint32_t left_ms = 0;
  std::string_view label;
  Digest token{};  ///< all zero: none, and not sent
  std::vector<Part> parts;
};

void encode(const Arrive& arrive, Value& out);
std::optional<Arrive> decode_arrive(Bytes body);

/// A good verdict's body: {u32 parts, per part u32 length, then the payloads one after the other},
/// in order of rank; no parts for a barrier and for a gather's other ranks, one for a broadcast,
/// the link's own for a scatter, for an alltoall those of all ranks for each of the link's own; at
/// most limits::ranks_max. The same bytes for every rank that gets parts, but for these two. A bad
/// verdict is a Failure (notices.hpp).
void encode_verdict(std::span<const Bytes> parts, Value& out);
/// The parts are views into `body`, which they take over.
std::optional<Parts> decode_verdict(Value body);
/// Where in `body` each part begins, and last where it ends: as Parts has them.
std::optional<std::vector<std::size_t>> part_offsets(Bytes body);

}  // namespace muster::wire
