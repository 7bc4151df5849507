#include "server/core/door.hpp"

#include <fmt/format.h>

#include "base/limits.hpp"
#include "base/text.hpp"
#include "server/core/admission.hpp"
#include "server/core/first_bytes.hpp"
#include "wire/v0.hpp"

namespace muster::server {
namespace {

/// A peer that speaks the protocol, but not as this server knows it.
Failure unreadable() {
  return Failure{.code = Code::protocol,
                 .reason =
                     "the hello cannot be read: it is malformed, or asks for a role or an "
                     "authentication that this server does not know",
                 .advice = "use the same release of Muster in the whole job"};
}

}  // namespace

Door::Entry Door::take(LinkId link, Peer& peer, Bytes& bytes, TimePoint now, Outbox& out) {
  strangers_.spoke(link);
  const Peer::First first = peer.take_first(bytes);
  bytes = first.rest;
  switch (first.state) {
    case wire::HelloState::more:
      return Entry::waiting;
    case wire::HelloState::complete:
      return greet(link, peer, first.hello, now, out);
    case wire::HelloState::old:
      return greet_version0(link, peer, first.hello, now, out);
    case wire::HelloState::foreign:
      break;
  }
  turn_away(link, peer, fmt::format("{} is no hello", likeness(peer.stored())), now, out);
  return Entry::turned_away;
}

/// Answers a complete hello.
Door::Entry Door::greet(LinkId link, Peer& peer, Bytes bytes, TimePoint now, Outbox& out) {
  say_hello(link, out);
  const auto hello = wire::decode_client_hello(bytes);
  const Verdict verdict = hello ? judge(*hello, options_, members_.roster(), members_.standing())
                                : Verdict{Verdict::Kind::refuse, unreadable()};
  if (verdict.kind == Verdict::Kind::welcome) {
    welcome(link, peer, *hello, now, out);
    return Entry::admitted;
  }
  out.fail({link, wire::Type::refused, 0}, verdict.failure);
  if (verdict.kind == Verdict::Kind::refuse) {
    turn_away(link, peer, verdict.failure.reason, now, out);
  } else {
    out.close(link);
    strangers_.gone(link);
    members_.doom(verdict.failure, out);
  }
  return Entry::turned_away;
}

/// Answers as much of a version 0 hello as has come.
Door::Entry Door::greet_version0(LinkId link, Peer& peer, Bytes bytes, TimePoint now, Outbox& out) {
  const auto refuse = [&](std::string_view why) {
    turn_away(link, peer, why, now, out);
    return Entry::turned_away;
  };
  if (!options_.version0) return refuse("it speaks version 0, this server does not");
  const std::uint16_t magic = wire::v0::magic_of(bytes);
  if (magic != options_.version0_magic) {
    return refuse(fmt::format("it speaks version 0, with magic {:#06x} where {:#06x} is expected",
                              magic, options_.version0_magic));
  }
  if (members_.failure()) return refuse("it speaks version 0, and the job has failed");
  const auto hello = wire::v0::decode_hello(bytes);
  if (!hello) return Entry::waiting;  // only the rest of it is missing
  peer.admit_version0();
  strangers_.gone(link);
  out.raw(link, wire::v0::hello_answer());
  out.log(LogLevel::debug, fmt::format("a version 0 client, rank {} by its own account, uses the "
                                       "store from {}",
                                       hello->rank, printable(peer.address())));
  return Entry::admitted;
}

void Door::say_hello(LinkId link, Outbox& out) {
  wire::ServerHello hello{.incarnation = options_.incarnation, .job = options_.job};
  random_.fill(hello.nonce);
  out.raw(link, wire::encode(hello));
}

void Door::welcome(LinkId link, Peer& peer, const wire::ClientHello& hello, TimePoint now,
                   Outbox& out) {
  const bool is_rank = hello.role == wire::Role::rank;
  peer.admit(is_rank ? expand(hello.ranks) : Ranks{});
  strangers_.gone(link);
  const wire::Welcome welcome{
      .epoch = options_.epoch,
      .size = is_rank ? hello.size : members_.roster().size(),
      .server_rank = options_.server_rank,
      .host = options_.host,
      .pid = options_.pid,
      .value_bytes_max = limits::value_bytes_max,
      .round_bytes_max = static_cast<std::uint32_t>(options_.round_bytes_max),
      .heartbeat_ms = 0};
  out.written({link, wire::Type::welcome, 0}, [&](Value& body) { wire::encode(welcome, body); });
  if (is_rank) members_.admit(peer, link, hello, now, out);
}

void Door::turn_away(LinkId link, const Peer& peer, std::string_view why, TimePoint now,
                     Outbox& out) {
  complain(peer, why, now, out);
  out.close(link);
  strangers_.gone(link);
}

void Door::complain(const Peer& peer, std::string_view why, TimePoint now, Outbox& out) {
  const auto swallowed = sources_.allow(source_of(peer.address()), now);
  if (!swallowed) return;
  std::string line = fmt::format("turned {} away: {}", printable(peer.address()), why);
  if (*swallowed != 0) line += fmt::format(" (and {} more from there before)", *swallowed);
  out.log(LogLevel::warning, std::move(line));
}

}  // namespace muster::server
