#include "wire/hello.hpp"

#include <algorithm>
#include <string_view>

#include "base/assert.hpp"
#include "base/limits.hpp"
#include "wire/cursor.hpp"

namespace muster::wire {
namespace {

constexpr std::size_t client_length_offset = 6;
constexpr std::size_t server_length_offset = 4;
/// What every version has: magic, versions and length.
constexpr std::size_t client_stem_bytes = 8;
constexpr std::size_t server_stem_bytes = 6;

template <std::size_t N>
void read_array(Reader& reader, std::array<std::byte, N>& array) {
  const Bytes raw = reader.bytes(N);
  std::copy(raw.begin(), raw.end(), array.begin());
}

void put_length(Value& hello, std::size_t offset) {
  MUSTER_ASSERT(hello.size() <= limits::hello_bytes_max);
  hello[offset] = static_cast<std::byte>(hello.size() & 0xFF);
  hello[offset + 1] = static_cast<std::byte>(hello.size() >> 8);
}

/// Given that the magic is right: whole once as many bytes have come as the length says.
HelloScan scan_length(Bytes first, std::size_t stem_bytes) {
  if (first.size() < stem_bytes) return {HelloState::more, 0};
  const std::size_t length = Reader(first.subspan(stem_bytes - 2)).u16();
  if (length < stem_bytes || length > limits::hello_bytes_max) return {HelloState::foreign, 0};
  if (first.size() < length) return {HelloState::more, 0};
  return {HelloState::complete, length};
}

bool starts_like(Bytes first, std::uint16_t magic) {
  if (!first.empty() && first[0] != static_cast<std::byte>(magic & 0xFF)) return false;
  return first.size() < 2 || first[1] == static_cast<std::byte>(magic >> 8);
}

void read_ranges(Reader& reader, std::vector<RankRange>& ranges) {
  const std::size_t count = reader.u16();
  for (std::size_t i = 0; i < count && reader.ok(); ++i) {
    const std::uint32_t first = reader.u32();
    ranges.push_back({first, reader.u32()});
  }
}

Role read_role(Reader& reader) {
  const auto role = static_cast<Role>(reader.u8());
  if (role != Role::rank && role != Role::assigned && role != Role::tool) reader.fail();
  return role;
}

Auth read_auth(Reader& reader) {
  const auto auth = static_cast<Auth>(reader.u8());
  if (auth != Auth::none && auth != Auth::secret) reader.fail();
  return auth;
}

/// From offset 8 on.
void read_client_body(Reader& reader, ClientHello& hello) {
  hello.features = reader.u32();
  hello.role = read_role(reader);
  hello.auth = read_auth(reader);
  if (reader.u16() != 0) reader.fail();
  hello.incarnation.number = reader.u64();
  if (reader.u32() != 0) reader.fail();
  Epoch epoch;
  read_array(reader, epoch.bytes);
  if (epoch != Epoch{}) hello.epoch = epoch;
  read_array(reader, hello.nonce);
  hello.size = reader.u32();
  hello.pid = reader.u32();
  hello.left_ms = reader.u32();
  hello.job = reader.text();
  hello.host = reader.text();
  read_ranges(reader, hello.ranks);
}

}  // namespace

Value encode(const ClientHello& hello) {
  Value out;
  out.reserve(limits::hello_bytes_max);
  Writer writer(out);
  writer.u16(client_magic);
  writer.u16(hello.version_min);
  writer.u16(hello.version_max);
  writer.u16(0);  // length, below
  writer.u32(hello.features);
  writer.u8(static_cast<std::uint8_t>(hello.role));
  writer.u8(static_cast<std::uint8_t>(hello.auth));
  writer.u16(0);
  writer.u64(hello.incarnation.number);
  writer.u32(0);
  writer.bytes(hello.epoch.value_or(Epoch{}).bytes);
  writer.bytes(hello.nonce);
  writer.u32(hello.size);
  writer.u32(hello.pid);
  writer.u32(hello.left_ms);
  writer.text(std::string_view(hello.job).substr(0, limits::job_id_bytes_max));
  writer.text(std::string_view(hello.host).substr(0, limits::host_bytes_max));
  writer.u16(static_cast<std::uint16_t>(hello.ranks.size()));
  for (const RankRange& range : hello.ranks) {
    writer.u32(range.first);
    writer.u32(range.count);
  }
  put_length(out, client_length_offset);
  return out;
}

Value encode(const ServerHello& hello) {
  Value out;
  out.reserve(limits::hello_bytes_max);
  Writer writer(out);
  writer.u16(server_magic);
  writer.u16(hello.version);
  writer.u16(0);  // length, below
  writer.u8(static_cast<std::uint8_t>(hello.auth));
  writer.u8(0);
  writer.u64(hello.incarnation.number);
  writer.bytes(hello.nonce);
  writer.text(std::string_view(hello.job).substr(0, limits::job_id_bytes_max));
  put_length(out, server_length_offset);
  return out;
}

HelloScan scan_client_hello(Bytes first) {
  // A version 0 client may come with any magic, so that four bytes decide.
  if (first.size() < 4) return {HelloState::more, 0};
  if (Reader(first.subspan(2)).u16() == 0) return {HelloState::old, 0};
  if (!starts_like(first, client_magic)) return {HelloState::foreign, 0};
  return scan_length(first, client_stem_bytes);
}

HelloScan scan_server_hello(Bytes first) {
  if (!starts_like(first, server_magic)) return {HelloState::foreign, 0};
  return scan_length(first, server_stem_bytes);
}

std::optional<ClientHello> decode_client_hello(Bytes bytes) {
  Reader reader(bytes);
  ClientHello hello;
  if (reader.u16() != client_magic) reader.fail();
  hello.version_min = reader.u16();
  hello.version_max = reader.u16();
  if (reader.u16() != bytes.size() || hello.version_min == 0) reader.fail();
  if (!reader.ok()) return std::nullopt;
  if (version < hello.version_min || version > hello.version_max) return hello;
  read_client_body(reader, hello);
  if (!reader.done()) return std::nullopt;
  return hello;
}

std::optional<ServerHello> decode_server_hello(Bytes bytes) {
  Reader reader(bytes);
  ServerHello hello;
  if (reader.u16() != server_magic) reader.fail();
  hello.version = reader.u16();
  if (reader.u16() != bytes.size()) reader.fail();
  if (!reader.ok()) return std::nullopt;
  if (hello.version != version) return hello;
  hello.auth = read_auth(reader);
  if (reader.u8() != 0) reader.fail();
  hello.incarnation.number = reader.u64();
  read_array(reader, hello.nonce);
  hello.job = reader.text();
  if (!reader.done()) return std::nullopt;
  return hello;
}

void encode(const Proof& proof, Value& out) {
  Writer(out).bytes(proof.digest);
}

std::optional<Proof> decode_proof(Bytes body) {
  Reader reader(body);
  Proof proof;
  read_array(reader, proof.digest);
  if (!reader.done()) return std::nullopt;
  return proof;
}

void encode(const Welcome& welcome, Value& out) {
  Writer writer(out);
  writer.bytes(welcome.epoch.bytes);
  writer.u32(welcome.size);
  writer.u32(welcome.rank);
  writer.u32(welcome.server_rank);
  writer.text(std::string_view(welcome.host).substr(0, limits::host_bytes_max));
  writer.u32(welcome.pid);
  writer.u32(welcome.value_bytes_max);
  writer.u32(welcome.round_bytes_max);
  writer.u32(welcome.heartbeat_ms);
  writer.bytes(welcome.proof);
}

std::optional<Welcome> decode_welcome(Bytes body) {
  Reader reader(body);
  Welcome welcome;
  read_array(reader, welcome.epoch.bytes);
  welcome.size = reader.u32();
  welcome.rank = reader.u32();
  welcome.server_rank = reader.u32();
  welcome.host = reader.text();
  welcome.pid = reader.u32();
  welcome.value_bytes_max = reader.u32();
  welcome.round_bytes_max = reader.u32();
  welcome.heartbeat_ms = reader.u32();
  read_array(reader, welcome.proof);
  if (!reader.done()) return std::nullopt;
  return welcome;
}

}  // namespace muster::wire
