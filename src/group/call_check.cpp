#include "group/call_check.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <string>
#include <utility>
#include <vector>

#include "base/limits.hpp"
#include "base/text.hpp"
#include "wire/kinds.hpp"
#include "wire/round_messages.hpp"

namespace muster {
namespace {

Error refused(Code code, std::string what) {
  return Error{.code = code, .what = std::move(what)};
}

/// As the round's bound counts it: several payloads with their lengths.
std::size_t bytes_of(const Call& call) {
  std::size_t bytes = call.payload.size();
  if (!call.payloads.empty()) bytes += 4 * (call.payloads.size() + 1);
  for (const Bytes payload : call.payloads) bytes += payload.size();
  return bytes;
}

/// Of a rank that brings a payload for each.
Result<void> check_dealt(const Call& call, std::uint32_t rank, std::uint32_t size) {
  if (call.payloads.size() != size) {
    return refused(
        Code::invalid_argument,
        fmt::format("{} brings one payload for each of {} ranks, rank {} brings {}",
                    call.kind == Kind::scatter ? "a scatter's root" : "each rank of an alltoall",
                    size, rank, call.payloads.size()));
  }
  if (!wire::has_one_size(call.kind)) return {};
  for (std::uint32_t to = 1; to < size; ++to) {
    if (call.payloads[to].size() == call.payloads[0].size()) continue;
    return refused(
        Code::invalid_argument,
        fmt::format("the payloads of an alltoall have one size, rank {}'s for rank {} has "
                    "{} bytes, and for rank 0 {}",
                    rank, to, call.payloads[to].size(), call.payloads[0].size()));
  }
  return {};
}

Result<void> check_payloads(const Call& call, std::uint32_t rank, std::uint32_t size) {
  const bool is_root = call.root == rank;
  const bool deals = wire::deals(call.kind) && (call.kind != Kind::scatter || is_root);
  if (deals) {
    if (auto good = check_dealt(call, rank, size); !good) return good;
  }
  const bool may_bring_one = call.kind == Kind::gather || call.kind == Kind::allgather ||
                             call.kind == Kind::allgatherv || call.kind == Kind::exchange ||
                             (call.kind == Kind::broadcast && is_root);
  if ((may_bring_one || call.payload.empty()) && (deals || call.payloads.empty())) return {};
  return refused(Code::invalid_argument,
                 fmt::format("rank {} has nothing to bring to this {}, but brings {} bytes", rank,
                             name(call.kind), bytes_of(call)));
}

}  // namespace

Result<void> check(const Call& call, std::uint32_t rank, std::uint32_t size) {
  if (!wire::known(call.kind)) {
    return refused(Code::invalid_argument, fmt::format("there is no collective of kind {}",
                                                       static_cast<unsigned>(call.kind)));
  }
  if (call.label.size() > limits::label_bytes_max) {
    return refused(Code::limit, fmt::format("a label has at most {} bytes, this one has {}",
                                            limits::label_bytes_max, call.label.size()));
  }
  if (call.root >= size) {
    return refused(Code::invalid_argument,
                   fmt::format("root {} is no rank of this group, its ranks are 0 to {}", call.root,
                               size - 1));
  }
  if (bytes_of(call) > limits::round_bytes_max) {
    return refused(Code::limit,
                   fmt::format("the payloads of one {} are at most {} bytes together, "
                               "this one alone has {}",
                               name(call.kind), limits::round_bytes_max, bytes_of(call)));
  }
  return check_payloads(call, rank, size);
}

Result<void> check_members(std::span<const std::uint32_t> members, std::uint32_t rank,
                           std::uint32_t size) {
  std::vector<std::uint32_t> ranks(members.begin(), members.end());
  std::ranges::sort(ranks);
  if (ranks.empty()) return refused(Code::invalid_argument, "a subset has one member at least");
  if (const auto twice = std::ranges::adjacent_find(ranks); twice != ranks.end()) {
    return refused(Code::invalid_argument,
                   fmt::format("rank {} is twice among the members of a subset", *twice));
  }
  if (ranks.back() >= size) {
    return refused(Code::invalid_argument,
                   fmt::format("rank {} is no rank of this group, its ranks are 0 to {}",
                               ranks.back(), size - 1));
  }
  if (std::ranges::binary_search(ranks, rank)) return {};
  return refused(Code::invalid_argument,
                 fmt::format("a subset is made by its members; rank {} is none of this one, of "
                             "ranks {}",
                             rank, rank_ranges(ranks)));
}

Bytes joined(const Call& call, Value& buffer) {
  if (call.payloads.empty()) return call.payload;
  wire::encode_verdict(call.payloads, buffer);
  return buffer;
}

std::size_t parts_expected(const Call& call, std::uint32_t rank, std::uint32_t size) {
  if (call.kind == Kind::barrier) return 0;
  if (call.kind == Kind::broadcast || call.kind == Kind::scatter) return 1;
  return call.kind == Kind::gather && call.root != rank ? 0 : size;
}

}  // namespace muster
