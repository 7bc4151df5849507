#include "wire/store_messages.hpp"

#include "wire/cursor.hpp"

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

}  // namespace muster::wire
