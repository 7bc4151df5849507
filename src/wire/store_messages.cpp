#include "wire/store_messages.hpp"

#include "wire/cursor.hpp"
#include "wire/maybe_bytes.hpp"

namespace muster::wire {
namespace {

/// `request`, if the body held exactly that.
template <class Request>
std::optional<Request> whole(const Reader& reader, const Request& request) {
  if (!reader.done()) return std::nullopt;
  return request;
}

}  // namespace

void encode(const SetRequest& request, Value& out) {
  Writer writer(out);
  writer.room(2 + request.key.size() + request.value.size());
  writer.text(request.key);
  writer.bytes(request.value);
}

void encode(const GetRequest& request, Value& out) {
  Writer writer(out);
  writer.text(request.key);
  writer.u32(request.wait_ms);
}

void encode(const AddRequest& request, Value& out) {
  Writer writer(out);
  writer.text(request.key);
  writer.i64(request.delta);
}

void encode(const RemoveRequest& request, Value& out) {
  Writer(out).text(request.key);
}

void encode(const AppendRequest& request, Value& out) {
  encode(SetRequest{request.key, request.value}, out);
}

void encode(const CompareSetRequest& request, Value& out) {
  const Bytes expected = request.expected.value_or(Bytes{});
  Writer writer(out);
  writer.room(2 + request.key.size() + 5 + expected.size() + request.desired.size());
  writer.text(request.key);
  writer.boolean(request.expected.has_value());
  writer.value(expected);
  writer.bytes(request.desired);
}

void encode(const CompareSetAnswer& answer, Value& out) {
  Writer writer(out);
  writer.boolean(answer.swapped);
  writer.boolean(answer.before.has_value());
  writer.bytes(answer.before.value_or(Bytes{}));
}

std::optional<SetRequest> decode_set(Bytes body) {
  Reader reader(body);
  SetRequest request;
  request.key = reader.text();
  request.value = reader.rest();
  return whole(reader, request);
}

std::optional<GetRequest> decode_get(Bytes body) {
  Reader reader(body);
  GetRequest request;
  request.key = reader.text();
  request.wait_ms = reader.u32();
  return whole(reader, request);
}

std::optional<AddRequest> decode_add(Bytes body) {
  Reader reader(body);
  AddRequest request;
  request.key = reader.text();
  request.delta = reader.i64();
  return whole(reader, request);
}

std::optional<RemoveRequest> decode_remove(Bytes body) {
  Reader reader(body);
  RemoveRequest request;
  request.key = reader.text();
  return whole(reader, request);
}

std::optional<AppendRequest> decode_append(Bytes body) {
  const auto same = decode_set(body);
  if (!same) return std::nullopt;
  return AppendRequest{same->key, same->value};
}

std::optional<CompareSetRequest> decode_compare_set(Bytes body) {
  Reader reader(body);
  CompareSetRequest request;
  request.key = reader.text();
  const bool has_expected = reader.boolean();
  request.expected = maybe_bytes(reader, has_expected, reader.value());
  request.desired = reader.rest();
  return whole(reader, request);
}

std::optional<CompareSetAnswer> decode_compare_set_answer(Bytes body) {
  Reader reader(body);
  CompareSetAnswer answer;
  answer.swapped = reader.boolean();
  const bool was_there = reader.boolean();
  answer.before = maybe_bytes(reader, was_there, reader.rest());
  return whole(reader, answer);
}

}  // namespace muster::wire
