#include "transcript.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "server/core/wording.hpp"
#include "store_words.hpp"
#include "wire/hello.hpp"
#include "wire/notices.hpp"
#include "wire/round_messages.hpp"
#include "wire/status_messages.hpp"
#include "words.hpp"

namespace muster::scenarios {
namespace {

std::string show_parts(Bytes body) {
  const auto parts = wire::decode_verdict(to_value(body));
  if (!parts) throw Mistake("a verdict that cannot be decoded");
  std::string line = "ok";
  for (const Bytes part : *parts) line += " " + show_bytes(part);
  return line;
}

std::string show_welcome(Bytes body) {
  const auto welcome = wire::decode_welcome(body);
  if (!welcome) throw Mistake("a welcome that cannot be decoded");
  const std::string server = welcome->server_rank == no_rank
                                 ? "external server"
                                 : fmt::format("rank {} serves", welcome->server_rank);
  return fmt::format("size {}, {} (host {}, pid {})", welcome->size, server, welcome->host,
                     welcome->pid);
}

std::string show_good(const wire::FrameHeader& header, Bytes body) {
  if (const auto text = show_store_answer(header.type, body)) return *text;
  switch (header.type) {
    case wire::Type::arrive:
      return show_parts(body);
    case wire::Type::status:
      return "ok\n" + show_status(wire::decode_status(body).value());
    case wire::Type::welcome:
      return show_welcome(body);
    default:
      return body.empty() ? "ok" : show_bytes(body);
  }
}

const char* show_type(wire::Type type) {
  switch (type) {
    case wire::Type::mustered:
      return "MUSTERED";
    case wire::Type::doomed:
      return "DOOMED";
    case wire::Type::server_leaving:
      return "SERVER LEAVING";
    case wire::Type::beat:
      return "BEAT";
    case wire::Type::welcome:
      return "WELCOME";
    case wire::Type::refused:
      return "REFUSED";
    default:
      return "?";
  }
}

std::string show_event(const server::Action& action) {
  if (const auto* close = std::get_if<server::Close>(&action)) {
    return fmt::format("close {}\n", close->link);
  }
  if (const auto* log = std::get_if<server::Log>(&action)) {
    return fmt::format("{}: {}\n", name(log->level), log->line);
  }
  if (const auto* guard = std::get_if<server::Guard>(&action)) {
    return fmt::format("guard {}: {} ms\n", guard->link,
                       std::chrono::duration_cast<std::chrono::milliseconds>(guard->time).count());
  }
  if (std::holds_alternative<server::Mustered>(action)) return "event: mustered\n";
  if (std::holds_alternative<server::Ended>(action)) return "event: ended\n";
  return fmt::format("event: doomed, {}\n", name(std::get<server::Doomed>(action).failure.code));
}

}  // namespace

std::string show_failure(const Failure& failure) {
  std::string text = fmt::format("{}: {}", name(failure.code), failure.reason);
  if (failure.exit_code != 1) text += fmt::format(" (exit code {})", failure.exit_code);
  for (const RankName& who : failure.who) text += "\n    " + who.text();
  return text;
}

std::string show_status(const JobStatus& status) {
  std::string text =
      fmt::format("  job {}, size {}, {}, {} joined, {} keys, age {} ms", status.job, status.size,
                  name(status.stage), status.joined, status.keys, status.age.count());
  if (status.failure) text += "\n  failed: " + show_failure(*status.failure);
  for (const RosterRow& row : status.rows) {
    text += fmt::format("\n  {}: {} for {} ms", row.who.text(), name(row.state), row.since.count());
    if (!row.waiting_in.empty()) text += ", in " + row.waiting_in;
  }
  for (const OpenRound& round : status.rounds) {
    text += fmt::format("\n  round {} of group {}: {}, {} arrived, open for {} ms, missing {}",
                        round.sequence, round.group, round.what, round.arrived, round.age.count(),
                        rank_ranges(round.missing));
  }
  if (status.seeking != 0) text += fmt::format("\n  {} wait for a rank", status.seeking);
  for (const Seeker& seeker : status.seekers) {
    text += fmt::format("\n    host {}, pid {}, for {} ms", seeker.host, seeker.pid,
                        seeker.since.count());
  }
  return text;
}

void Transcript::gone(server::LinkId link) {
  streams_.erase(link);
  open_.erase(link);
}

std::size_t Transcript::unanswered() const {
  std::size_t count = 0;
  for (const auto& [link, sequences] : open_) count += sequences.size();
  return count;
}

std::string Transcript::show(const server::Actions& actions, bool show_debug) {
  std::string text;
  for (const server::Action& action : actions.list) {
    const auto* log = std::get_if<server::Log>(&action);
    if (log != nullptr && log->level == LogLevel::debug && !show_debug) continue;
    if (const auto* send = std::get_if<server::Send>(&action)) {
      text += show_send(*send, actions);
    } else {
      text += show_event(action);
    }
    if (const auto* close = std::get_if<server::Close>(&action)) gone(close->link);
  }
  return text;
}

/// The first line of a Send begins with the link, those that go with it are marked.
std::string Transcript::show_send(const server::Send& send, const server::Actions& actions) {
  Value sent = to_value(Bytes(actions.bytes).subspan(send.offset, send.length));
  if (send.tail) sent.insert(sent.end(), send.tail->begin(), send.tail->end());
  Bytes bytes = sent;

  Stream& stream = streams_[send.link];
  std::string text;
  std::string mark = fmt::format("{} <- ", send.link);
  const auto line = [&](const std::string& what) {
    text += mark + what + "\n";
    mark.assign(mark.size() - 2, ' ');
    mark += "+ ";
  };
  if (!stream.greeted && as_text(bytes).starts_with("\x15\x03")) {
    line("a TLS alert");
    return text;
  }
  if (!stream.greeted) {
    const auto scan = wire::scan_server_hello(bytes);
    if (scan.state != wire::HelloState::complete) throw Mistake("the first bytes are no hello");
    const auto hello = wire::decode_server_hello(bytes.first(scan.length)).value();
    line(fmt::format("hello of version {} from job {}", hello.version, hello.job));
    stream.greeted = true;
    bytes = bytes.subspan(scan.length);
  }
  stream.reader.feed(bytes);
  wire::FrameHeader header;
  Bytes body;
  auto found = stream.reader.next(header, body);
  for (; found == wire::FrameReader::Found::frame; found = stream.reader.next(header, body)) {
    line(show_frame(send.link, header, body));
  }
  if (found == wire::FrameReader::Found::broken || stream.reader.stored() != 0) {
    throw Mistake("a Send that is no sequence of whole frames");
  }
  return text;
}

std::string Transcript::show_frame(server::LinkId link, const wire::FrameHeader& header,
                                   Bytes body) {
  if (header.type == wire::Type::changed) {
    return fmt::format("CHANGED of watch {}: {}", header.sequence, show_good(header, body));
  }
  const bool notice = header.sequence == 0;
  if (!notice && open_[link].erase(header.sequence) == 0) {
    throw Mistake(fmt::format("link {} got an answer to {} that it did not ask for, or a second",
                              link, header.sequence));
  }
  const std::string head =
      notice ? show_type(header.type)
             : fmt::format("{} {}", header.sequence, server::message_text(header.type));
  const bool bare = header.type == wire::Type::mustered || header.type == wire::Type::beat;
  if (header.result == 0 && bare) return head;
  if (header.result == 0) return head + ": " + show_good(header, body);
  const auto failure = wire::decode_failure(body);
  if (!failure) throw Mistake("a failure that cannot be decoded");
  if (static_cast<std::int16_t>(failure->code) != header.result) {
    throw Mistake("result and failure differ");
  }
  return head + ": " + show_failure(*failure);
}

}  // namespace muster::scenarios
