#include "wire/notices.hpp"

#include <algorithm>

#include "base/limits.hpp"
#include "base/text.hpp"
#include "wire/cursor.hpp"

namespace muster::wire {
namespace {

constexpr std::size_t shown_bytes_max = 4096;
constexpr std::size_t names_max = 1024;

void write_name(Writer& writer, const RankName& name) {
  writer.u32(name.rank);
  writer.text(printable(name.host, limits::host_bytes_max));
  writer.u32(name.pid);
  writer.text(printable(name.detail, shown_bytes_max));
}

RankName read_name(Reader& reader) {
  RankName name;
  name.rank = reader.u32();
  name.host = printable(reader.text(), limits::host_bytes_max);
  name.pid = reader.u32();
  name.detail = printable(reader.text(), shown_bytes_max);
  return name;
}

}  // namespace

void encode(const Failure& failure, Value& out) {
  Writer writer(out);
  writer.u16(static_cast<std::uint16_t>(failure.code));
  writer.i32(failure.exit_code);
  writer.text(printable(failure.reason, shown_bytes_max));
  writer.text(printable(failure.advice, shown_bytes_max));
  const std::size_t names = std::min(failure.who.size(), names_max);
  writer.u16(static_cast<std::uint16_t>(names));
  for (std::size_t i = 0; i < names; ++i) write_name(writer, failure.who[i]);
}

std::optional<Failure> decode_failure(Bytes body) {
  Reader reader(body);
  Failure failure;
  failure.code = static_cast<Code>(reader.u16());
  if (static_cast<std::int16_t>(failure.code) <= 0) reader.fail();
  failure.exit_code = reader.i32();
  failure.reason = printable(reader.text(), shown_bytes_max);
  failure.advice = printable(reader.text(), shown_bytes_max);
  const std::size_t names = reader.u16();
  if (names > names_max) reader.fail();
  for (std::size_t i = 0; i < names && reader.ok(); ++i) failure.who.push_back(read_name(reader));
  if (!reader.done()) return std::nullopt;
  return failure;
}

Error to_error(const Failure& failure, Phase phase) {
  Error error;
  error.code = failure.code;
  error.phase = phase;
  error.what = failure.reason;
  error.advice = failure.advice;
  error.ranks = failure.who;
  error.exit_code = failure.exit_code;
  return error;
}

void encode(const FailRequest& request, Value& out) {
  Writer writer(out);
  writer.i32(request.exit_code);
  writer.text(request.reason);
}

std::optional<FailRequest> decode_fail(Bytes body) {
  Reader reader(body);
  FailRequest request;
  request.exit_code = reader.i32();
  request.reason = reader.text();
  if (!reader.done()) return std::nullopt;
  return request;
}

void encode(const LeaveRequest& request, Value& out) {
  Writer writer(out);
  writer.u32(request.wait_ms);
  writer.boolean(request.now);
}

std::optional<LeaveRequest> decode_leave(Bytes body) {
  Reader reader(body);
  LeaveRequest request;
  request.wait_ms = reader.u32();
  request.now = reader.boolean();
  if (!reader.done()) return std::nullopt;
  return request;
}

}  // namespace muster::wire
