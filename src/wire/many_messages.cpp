#include "wire/many_messages.hpp"

#include "base/limits.hpp"
#include "wire/cursor.hpp"
#include "wire/maybe_bytes.hpp"

namespace muster::wire {
namespace {

void put_keys(Writer& writer, const std::vector<std::string_view>& keys) {
  writer.u32(static_cast<std::uint32_t>(keys.size()));
  for (const std::string_view key : keys) writer.text(key);
}

/// How many follow; too many fail the reader.
std::uint32_t count(Reader& reader) {
  const std::uint32_t number = reader.u32();
  if (number <= limits::keys_a_request_max) return number;
  reader.fail();
  return 0;
}

std::vector<std::string_view> take_keys(Reader& reader) {
  std::vector<std::string_view> keys;
  for (std::uint32_t left = count(reader); left > 0 && reader.ok(); --left) {
    keys.push_back(reader.text());
  }
  return keys;
}

}  // namespace

void encode(const WaitRequest& request, Value& out) {
  Writer writer(out);
  writer.u32(request.wait_ms);
  put_keys(writer, request.keys);
}

void encode(const MultiGetRequest& request, Value& out) {
  Writer writer(out);
  put_keys(writer, request.keys);
}

void encode(const MultiGetAnswer& answer, Value& out) {
  Writer writer(out);
  writer.u32(static_cast<std::uint32_t>(answer.values.size()));
  for (const auto& value : answer.values) {
    writer.boolean(value.has_value());
    writer.value(value.value_or(Bytes{}));
  }
}

void encode(const MultiSetRequest& request, Value& out) {
  Writer writer(out);
  writer.u32(static_cast<std::uint32_t>(request.entries.size()));
  for (const MultiSetRequest::Entry& entry : request.entries) {
    writer.text(entry.key);
    writer.value(entry.value);
  }
}

std::optional<WaitRequest> decode_wait(Bytes body) {
  Reader reader(body);
  WaitRequest request;
  request.wait_ms = reader.u32();
  request.keys = take_keys(reader);
  if (!reader.done()) return std::nullopt;
  return request;
}

std::optional<MultiGetRequest> decode_multi_get(Bytes body) {
  Reader reader(body);
  MultiGetRequest request{take_keys(reader)};
  if (!reader.done()) return std::nullopt;
  return request;
}

std::optional<MultiGetAnswer> decode_multi_get_answer(Bytes body) {
  Reader reader(body);
  MultiGetAnswer answer;
  for (std::uint32_t left = count(reader); left > 0 && reader.ok(); --left) {
    const bool there = reader.boolean();
    answer.values.push_back(maybe_bytes(reader, there, reader.value()));
  }
  if (!reader.done()) return std::nullopt;
  return answer;
}

std::optional<MultiSetRequest> decode_multi_set(Bytes body) {
  Reader reader(body);
  MultiSetRequest request;
  for (std::uint32_t left = count(reader); left > 0 && reader.ok(); --left) {
    const std::string_view key = reader.text();
    request.entries.push_back({key, reader.value()});
  }
  if (!reader.done()) return std::nullopt;
  return request;
}

}  // namespace muster::wire
