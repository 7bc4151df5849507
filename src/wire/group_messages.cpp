#include "wire/group_messages.hpp"

#include <algorithm>

#include "base/limits.hpp"
#include "wire/cursor.hpp"

namespace muster::wire {
namespace {

void write(std::uint64_t group, const std::vector<std::uint32_t>& ranks, Value& out) {
  Writer writer(out);
  writer.room(12 + 4 * ranks.size());
  writer.u64(group);
  writer.u32(static_cast<std::uint32_t>(ranks.size()));
  for (const std::uint32_t rank : ranks) writer.u32(rank);
}

/// False: it is not exactly one group and its ranks.
bool read(Bytes body, std::uint64_t& group, std::vector<std::uint32_t>& ranks) {
  Reader reader(body);
  group = reader.u64();
  const std::uint32_t count = reader.u32();
  if (count == 0 || count > limits::ranks_max || reader.left() != std::size_t{4} * count) {
    return false;
  }
  ranks.reserve(count);
  for (std::uint32_t i = 0; i < count; ++i) ranks.push_back(reader.u32());
  return reader.done();
}

}  // namespace

void encode(const OpenGroup& request, Value& out) {
  write(request.group, request.members, out);
}

std::optional<OpenGroup> decode_open_group(Bytes body) {
  OpenGroup request;
  if (!read(body, request.group, request.members)) return std::nullopt;
  return request;
}

void encode(const CloseGroup& request, Value& out) {
  write(request.group, request.ranks, out);
}

std::optional<CloseGroup> decode_close_group(Bytes body) {
  CloseGroup request;
  if (!read(body, request.group, request.ranks)) return std::nullopt;
  const auto not_ascending = [](std::uint32_t a, std::uint32_t b) { return a >= b; };
  if (std::ranges::adjacent_find(request.ranks, not_ascending) != request.ranks.end()) {
    return std::nullopt;
  }
  return request;
}

}  // namespace muster::wire
