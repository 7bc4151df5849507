#include "wire/prefix_messages.hpp"

#include "base/limits.hpp"
#include "wire/cursor.hpp"
#include "wire/maybe_bytes.hpp"

namespace muster::wire {

void encode(const ListRequest& request, Value& out) {
  Writer writer(out);
  writer.text(request.prefix);
  writer.text(request.after);
  writer.u32(request.keys_max);
}

void encode(const ListAnswer& answer, Value& out) {
  Writer writer(out);
  writer.boolean(answer.more);
  writer.u32(static_cast<std::uint32_t>(answer.keys.size()));
  for (const std::string_view key : answer.keys) writer.text(key);
}

void encode(const WatchRequest& request, Value& out) {
  Writer(out).text(request.prefix);
}

void encode(const UnwatchRequest& request, Value& out) {
  Writer(out).u32(request.watch);
}

void encode(const Changed& changed, Value& out) {
  const Bytes value = changed.value.value_or(Bytes{});
  Writer writer(out);
  writer.room(3 + changed.key.size() + value.size());
  writer.boolean(changed.value.has_value());
  writer.text(changed.key);
  writer.bytes(value);
}

std::optional<ListRequest> decode_list(Bytes body) {
  Reader reader(body);
  ListRequest request;
  request.prefix = reader.text();
  request.after = reader.text();
  request.keys_max = reader.u32();
  if (!reader.done()) return std::nullopt;
  return request;
}

std::optional<ListAnswer> decode_list_answer(Bytes body) {
  Reader reader(body);
  ListAnswer answer;
  answer.more = reader.boolean();
  std::uint32_t left = reader.u32();
  if (left > limits::listed_keys_max) return std::nullopt;
  for (; left > 0 && reader.ok(); --left) answer.keys.push_back(reader.text());
  if (!reader.done()) return std::nullopt;
  return answer;
}

std::optional<WatchRequest> decode_watch(Bytes body) {
  Reader reader(body);
  const WatchRequest request{reader.text()};
  if (!reader.done()) return std::nullopt;
  return request;
}

std::optional<UnwatchRequest> decode_unwatch(Bytes body) {
  Reader reader(body);
  const UnwatchRequest request{reader.u32()};
  if (!reader.done()) return std::nullopt;
  return request;
}

std::optional<Changed> decode_changed(Bytes body) {
  Reader reader(body);
  Changed changed;
  const bool there = reader.boolean();
  changed.key = reader.text();
  changed.value = maybe_bytes(reader, there, reader.rest());
  if (!reader.done()) return std::nullopt;
  return changed;
}

}  // namespace muster::wire
