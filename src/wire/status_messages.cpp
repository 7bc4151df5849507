#include "wire/status_messages.hpp"

#include <algorithm>
#include <limits>
#include <string>

#include "base/limits.hpp"
#include "base/text.hpp"
#include "wire/cursor.hpp"
#include "wire/notices.hpp"

namespace muster::wire {
namespace {

using std::chrono::milliseconds;

void write_time(Writer& writer, milliseconds time) {
  writer.u64(static_cast<std::uint64_t>(std::max(time, milliseconds{0}).count()));
}

milliseconds read_time(Reader& reader) {
  const std::uint64_t count = reader.u64();
  if (count > std::numeric_limits<std::int64_t>::max()) reader.fail();
  return milliseconds{static_cast<std::int64_t>(count)};
}

void write_text(Writer& writer, const std::string& text) {
  writer.text(printable(text, limits::text_bytes_max));
}

std::string read_text(Reader& reader) {
  return printable(reader.text(), limits::text_bytes_max);
}

template <class Enum>
Enum read_enum(Reader& reader, Enum last) {
  const std::uint8_t number = reader.u8();
  if (number > static_cast<std::uint8_t>(last)) reader.fail();
  return static_cast<Enum>(number);
}

/// As many of `read` as a u32 says; ends early when the body does, so that nothing is allocated by
/// a count alone.
template <class Item, class Read>
void read_list(Reader& reader, std::vector<Item>& list, Read&& read) {
  const std::uint32_t count = reader.u32();
  for (std::uint32_t i = 0; i < count && reader.ok(); ++i) list.push_back(read(reader));
}

void write_row(Writer& writer, const RosterRow& row) {
  writer.u32(row.who.rank);
  write_text(writer, row.who.host);
  writer.u32(row.who.pid);
  write_text(writer, row.who.detail);
  writer.u8(static_cast<std::uint8_t>(row.state));
  write_time(writer, row.since);
  write_text(writer, row.waiting_in);
}

RosterRow read_row(Reader& reader) {
  RosterRow row;
  row.who.rank = reader.u32();
  row.who.host = read_text(reader);
  row.who.pid = reader.u32();
  row.who.detail = read_text(reader);
  row.state = read_enum(reader, State::failed);
  row.since = read_time(reader);
  row.waiting_in = read_text(reader);
  return row;
}

void write_round(Writer& writer, const OpenRound& round) {
  writer.u64(round.group);
  writer.u64(round.sequence);
  write_text(writer, round.what);
  writer.u32(round.arrived);
  write_time(writer, round.age);
  const std::size_t missing = std::min(round.missing.size(), limits::named_ranks_max);
  writer.u16(static_cast<std::uint16_t>(missing));
  for (std::size_t i = 0; i < missing; ++i) writer.u32(round.missing[i]);
}

OpenRound read_round(Reader& reader) {
  OpenRound round;
  round.group = reader.u64();
  round.sequence = reader.u64();
  round.what = read_text(reader);
  round.arrived = reader.u32();
  round.age = read_time(reader);
  const std::size_t missing = reader.u16();
  if (missing > limits::named_ranks_max) reader.fail();
  for (std::size_t i = 0; i < missing && reader.ok(); ++i) round.missing.push_back(reader.u32());
  return round;
}

void write_seekers(Writer& writer, const JobStatus& status) {
  writer.u32(status.seeking);
  const std::size_t named = std::min(status.seekers.size(), limits::named_ranks_max);
  writer.u16(static_cast<std::uint16_t>(named));
  for (std::size_t i = 0; i < named; ++i) {
    write_text(writer, status.seekers[i].host);
    writer.u32(status.seekers[i].pid);
    write_time(writer, status.seekers[i].since);
  }
}

void read_seekers(Reader& reader, JobStatus& status) {
  status.seeking = reader.u32();
  const std::size_t named = reader.u16();
  if (named > limits::named_ranks_max || named > status.seeking) reader.fail();
  for (std::size_t i = 0; i < named && reader.ok(); ++i) {
    Seeker seeker;
    seeker.host = read_text(reader);
    seeker.pid = reader.u32();
    seeker.since = read_time(reader);
    status.seekers.push_back(std::move(seeker));
  }
}

void write_failure(Writer& writer, const std::optional<Failure>& failure) {
  Value body;
  if (failure) encode(*failure, body);
  writer.value(body);
}

std::optional<Failure> read_failure(Reader& reader) {
  const Bytes body = reader.value();
  if (body.empty()) return std::nullopt;
  auto failure = decode_failure(body);
  if (!failure) reader.fail();
  return failure;
}

}  // namespace

void encode(const StatusRequest& request, Value& out) {
  Writer writer(out);
  writer.u32(request.first_rank);
  writer.u32(request.rows_max);
}

std::optional<StatusRequest> decode_status_request(Bytes body) {
  Reader reader(body);
  StatusRequest request;
  request.first_rank = reader.u32();
  request.rows_max = reader.u32();
  if (!reader.done()) return std::nullopt;
  return request;
}

void encode(const JobStatus& status, Value& out) {
  encode_without_seekers(status, out);
  Writer writer(out);
  write_seekers(writer, status);
}

void encode_without_seekers(const JobStatus& status, Value& out) {
  Writer writer(out);
  write_text(writer, status.job);
  write_text(writer, status.incarnation);
  writer.u32(status.size);
  writer.u8(static_cast<std::uint8_t>(status.stage));
  writer.u32(status.joined);
  writer.u64(status.keys);
  write_time(writer, status.age);
  write_failure(writer, status.failure);
  writer.u32(static_cast<std::uint32_t>(status.rows.size()));
  for (const RosterRow& row : status.rows) write_row(writer, row);
  writer.u32(static_cast<std::uint32_t>(status.rounds.size()));
  for (const OpenRound& round : status.rounds) write_round(writer, round);
}

std::optional<JobStatus> decode_status(Bytes body) {
  Reader reader(body);
  JobStatus status;
  status.job = read_text(reader);
  status.incarnation = read_text(reader);
  status.size = reader.u32();
  status.stage = read_enum(reader, JobStatus::Stage::doomed);
  status.joined = reader.u32();
  status.keys = reader.u64();
  status.age = read_time(reader);
  status.failure = read_failure(reader);
  read_list(reader, status.rows, read_row);
  read_list(reader, status.rounds, read_round);
  if (reader.left() != 0) read_seekers(reader, status);  // an older server does not say
  if (!reader.done()) return std::nullopt;
  return status;
}

}  // namespace muster::wire
