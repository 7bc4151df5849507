#include "group/key_rounds.hpp"

#include <fmt/format.h>
#include <optional>

#include "wire/cursor.hpp"

namespace muster {
namespace {

constexpr std::size_t rank_bytes = 4;

/// What each rank brought; nothing if `all` is not a list of such items, one a rank at most.
std::optional<std::vector<std::optional<Bytes>>> read_items(Bytes all, std::uint32_t size,
                                                            std::size_t payload_bytes) {
  std::vector<std::optional<Bytes>> items(size);
  wire::Reader reader(all);
  while (reader.left() != 0) {
    const std::uint32_t rank = reader.u32();
    const Bytes payload = reader.bytes(payload_bytes);
    if (!reader.ok() || rank >= size || items[rank]) return std::nullopt;
    items[rank] = payload;
  }
  return items;
}

}  // namespace

RoundKeys round_keys(std::uint32_t version, std::uint64_t number, char letter) {
  const std::string stem = fmt::format("SHM_(0)_S_{}_{}_{}", version, number, letter);
  return {stem + "A", stem + "W"};
}

Value gathered_item(std::uint32_t rank, Bytes payload) {
  Value item;
  item.reserve(rank_bytes + payload.size());
  wire::Writer writer(item);
  writer.u32(rank);
  writer.bytes(payload);
  return item;
}

Result<Parts> gathered_parts(Bytes all, std::uint32_t size, std::size_t payload_bytes) {
  const auto items = read_items(all, size, payload_bytes);
  std::vector<Bytes> parts;
  if (items && all.size() == size * (rank_bytes + payload_bytes)) {
    for (const auto& item : *items) parts.push_back(*item);
    return Parts(parts);
  }
  return Error{
      .code = Code::mismatch,
      .phase = Phase::operation,
      .what = fmt::format("what the ranks brought to the allgather, {} bytes in all, is not one "
                          "part of {} bytes from each of {} ranks",
                          all.size(), payload_bytes, size),
      .advice = "bring the same number of bytes on every rank, each rank once"};
}

std::vector<std::uint32_t> missing_ranks(Bytes some, std::uint32_t size,
                                         std::size_t payload_bytes) {
  std::vector<std::uint32_t> missing;
  const auto items = read_items(some, size, payload_bytes);
  for (std::uint32_t rank = 0; items && rank < size; ++rank) {
    if (!(*items)[rank]) missing.push_back(rank);
  }
  return missing;
}

}  // namespace muster
