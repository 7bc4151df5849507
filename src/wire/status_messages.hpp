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

void encode(const JobStatus& status, Value& out);
std::optional<JobStatus> decode_status(Bytes body);

}  // namespace muster::wire
