#include "wire/round_messages.hpp"

#include <algorithm>
#include <utility>

#include "base/assert.hpp"
#include "base/limits.hpp"
#include "wire/cursor.hpp"
#include "wire/kinds.hpp"

namespace muster::wire {
namespace {

constexpr std::size_t part_bytes_min = 8;  ///< rank and length

void read_token(Reader& reader, Digest& token) {
  const Bytes raw = reader.bytes(token.size());
  std::copy(raw.begin(), raw.end(), token.begin());
  if (token == Digest{}) reader.fail();  // an absent token has one form only
}

void read_parts(Reader& reader, std::vector<Part>& parts) {
  const std::uint32_t count = reader.u32();
  if (count == 0 || count > reader.left() / part_bytes_min) return reader.fail();
  parts.reserve(count);
  for (std::uint32_t i = 0; i < count && reader.ok(); ++i) {
    const std::uint32_t rank = reader.u32();
    if (!parts.empty() && rank <= parts.back().rank) return reader.fail();
    parts.push_back({rank, reader.value()});
  }
}

}  // namespace

void encode(const Arrive& arrive, Value& out) {
  std::size_t payload_bytes = 0;
  for (const Part& part : arrive.parts) payload_bytes += part_bytes_min + part.payload.size();
  const bool has_token = arrive.token != Digest{};
  Writer writer(out);
  writer.room(66 + arrive.label.size() + payload_bytes);
  writer.integers(arrive.group, arrive.sequence, static_cast<std::uint8_t>(arrive.kind),
                  static_cast<std::uint8_t>(has_token), std::uint16_t{0}, arrive.root,
                  arrive.left_ms);
  writer.text(arrive.label);
  if (has_token) writer.bytes(arrive.token);
  writer.u32(static_cast<std::uint32_t>(arrive.parts.size()));
  for (const Part& part : arrive.parts) {
    writer.integers(part.rank, static_cast<std::uint32_t>(part.payload.size()));
    writer.bytes(part.payload);
  }
}

std::optional<Arrive> decode_arrive(Bytes body) {
  Reader reader(body);
  Arrive arrive;
  arrive.group = reader.u64();
  arrive.sequence = reader.u64();
  arrive.kind = static_cast<Kind>(reader.u8());
  if (!known(arrive.kind)) reader.fail();
  const bool has_token = reader.boolean();
  if (reader.u16() != 0) reader.fail();
  arrive.root = reader.u32();
  arrive.left_ms = reader.u32();
  arrive.label = reader.text();
  if (has_token) read_token(reader, arrive.token);
  read_parts(reader, arrive.parts);
  if (!reader.done()) return std::nullopt;
  return arrive;
}

void encode_verdict(std::span<const Bytes> parts, Value& out) {
  MUSTER_ASSERT(parts.size() <= limits::ranks_max);
  std::size_t payload_bytes = 0;
  for (const Bytes part : parts) payload_bytes += part.size();
  Writer writer(out);
  writer.room(4 + 4 * parts.size() + payload_bytes);
  writer.u32(static_cast<std::uint32_t>(parts.size()));
  for (const Bytes part : parts) writer.u32(static_cast<std::uint32_t>(part.size()));
  for (const Bytes part : parts) writer.bytes(part);
}

std::optional<std::vector<std::size_t>> part_offsets(Bytes body) {
  Reader reader(body);
  const std::uint32_t count = reader.u32();
  if (count > limits::ranks_max) return std::nullopt;
  Reader lengths(reader.bytes(std::size_t{4} * count));
  if (!reader.ok()) return std::nullopt;

  std::vector<std::size_t> offsets;
  offsets.reserve(std::size_t{count} + 1);
  offsets.push_back(body.size() - reader.left());
  for (std::uint32_t i = 0; i < count; ++i) offsets.push_back(offsets.back() + lengths.u32());
  if (offsets.back() != body.size()) return std::nullopt;
  return offsets;
}

std::optional<Parts> decode_verdict(Value body) {
  auto offsets = part_offsets(body);
  if (!offsets) return std::nullopt;
  return Parts(std::move(body), *std::move(offsets));
}

}  // namespace muster::wire
