#include "wire/v0_body.hpp"

#include "base/limits.hpp"
#include "wire/cursor.hpp"

namespace muster::wire::v0 {
namespace {

constexpr std::size_t item_head_bytes = 8;

static_assert(limits::v0_body_bytes_min == 8 + 8 + 2 + 8 + 8);

void write_head(Writer& writer, std::size_t size, std::int64_t user_word, Operation operation,
                std::size_t keys) {
  writer.u64(size);
  writer.i64(user_word);
  writer.u16(static_cast<std::uint16_t>(operation));
  writer.u64(keys);
}

/// A count, or a failed reader.
std::size_t read_count(Reader& reader) {
  const std::uint64_t count = reader.u64();
  if (count > limits::v0_items_max) reader.fail();
  return reader.ok() ? static_cast<std::size_t>(count) : 0;
}

Bytes read_item(Reader& reader, std::size_t bytes_max) {
  const std::uint64_t length = reader.u64();
  if (length > bytes_max) reader.fail();
  return reader.ok() ? reader.bytes(static_cast<std::size_t>(length)) : Bytes{};
}

}  // namespace

std::size_t packed_bytes(const Body& body) {
  std::size_t bytes = limits::v0_body_bytes_min;
  for (const std::string_view key : body.keys) bytes += item_head_bytes + key.size();
  for (const Bytes value : body.values) bytes += item_head_bytes + value.size();
  return bytes;
}

void pack(const Body& body, Value& out) {
  const std::size_t size = packed_bytes(body);
  Writer writer(out);
  writer.room(size);
  write_head(writer, size, body.user_word, body.operation, body.keys.size());
  for (const std::string_view key : body.keys) {
    writer.u64(key.size());
    writer.bytes(as_bytes(key));
  }
  writer.u64(body.values.size());
  for (const Bytes value : body.values) {
    writer.u64(value.size());
    writer.bytes(value);
  }
}

std::optional<Body> unpack(Bytes bytes) {
  Reader reader(bytes);
  Body body;
  const std::uint64_t size = reader.u64();
  body.user_word = reader.i64();
  body.operation = static_cast<Operation>(static_cast<std::int16_t>(reader.u16()));
  const std::size_t keys = read_count(reader);
  for (std::size_t i = 0; i < keys && reader.ok(); ++i) {
    body.keys.push_back(as_text(read_item(reader, limits::v0_key_bytes_max)));
  }
  const std::size_t values = read_count(reader);
  for (std::size_t i = 0; i < values && reader.ok(); ++i) {
    body.values.push_back(read_item(reader, limits::value_bytes_max));
  }
  if (!reader.ok() || size != bytes.size() - reader.left()) return std::nullopt;
  return body;
}

void pack_value_head(Operation operation, std::size_t value_bytes, Value& out) {
  Writer writer(out);
  write_head(writer, limits::v0_body_bytes_min + item_head_bytes + value_bytes, no_user_word,
             operation, 0);
  writer.u64(1);
  writer.u64(value_bytes);
}

}  // namespace muster::wire::v0
