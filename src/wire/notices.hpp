/// \file
/// Failures as they travel (bad replies, `refused`, `doomed`), and what a rank says when it goes.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include <muster/bytes.hpp>
#include <muster/result.hpp>
#include <muster/roster.hpp>

namespace muster::wire {

/// {i16 code, i32 exit code, text reason, text advice, u16 names, per name: u32 rank, text host,
/// u32 pid, text detail}. Texts are cut to 4,096 bytes and made printable when decoded; at most
/// 1,024 names travel.
void encode(const Failure& failure, Value& out);
std::optional<Failure> decode_failure(Bytes body);

/// As the caller of an operation sees it.
Error to_error(const Failure& failure, Phase phase);

/// {i32 exit code, text reason}. Answer: empty.
struct FailRequest {
  std::int32_t exit_code = 1;
  std::string_view reason;
};
void encode(const FailRequest& request, Value& out);
std::optional<FailRequest> decode_fail(Bytes body);

/// {u32 milliseconds to wait for the others, u8 now}. Answer when all have left or are lost: empty;
/// at the end of the wait: a Failure `rank_missing` that names who has not left.
struct LeaveRequest {
  std::uint32_t wait_ms = 0;
  bool now = false;
};
void encode(const LeaveRequest& request, Value& out);
std::optional<LeaveRequest> decode_leave(Bytes body);

}  // namespace muster::wire
