/// \file
/// The roster, in pages.
#pragma once

#include <cstdint>
#include <optional>

#include <muster/bytes.hpp>
#include <muster/roster.hpp>

namespace muster::wire {

/// {u32 first rank, u32 rows at most}. Answer: a JobStatus whose rows are that page, and, on the
/// page from rank 0 on, its open rounds.
struct StatusRequest {
  std::uint32_t first_rank = 0;
  std::uint32_t rows_max = 4096;
};
void encode(const StatusRequest& request, Value& out);
std::optional<StatusRequest> decode_status_request(Bytes body);

/// {text job, text incarnation, u32 size, u8 stage, u32 joined, u64 keys, u64 age in ms, value: a
///  Failure or empty, u32 rows, per row: u32 rank, text host, u32 pid, text detail, u8 state, u64
///  milliseconds in it, text waiting_in; u32 rounds, per round: u64 group, u64 sequence, text what,
///  u32 arrived, u64 age in ms, u16 missing, u32 each; u32 seeking, u16 seekers, per seeker: text
///  host, u32 pid, u64 milliseconds}. Texts are cut to limits::text_bytes_max and made printable
///  when
/// decoded; at most limits::named_ranks_max missing ranks of a round, and seekers, travel.
void encode(const JobStatus& status, Value& out);
/// For a client without feature_seekers: nothing behind the rounds.
void encode_without_seekers(const JobStatus& status, Value& out);
/// Either form.
std::optional<JobStatus> decode_status(Bytes body);

}  // namespace muster::wire
