#include "server/core/door.hpp"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>

#include "base/keyed.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"
#include "server/core/admission.hpp"
#include "server/core/first_bytes.hpp"
#include "wire/v0.hpp"

namespace muster::server {
namespace {

/// The alert unexpected_message, fatal, in the clear (RFC 8446, section 6): who came for TLS learns
/// that there is none, and need not try again.
constexpr std::string_view tls_alert{"\x15\x03\x03\x00\x02\x02\x0a", 7};

/// A peer that speaks the protocol, but not as this server knows it.
Failure unreadable() {
  return Failure{.code = Code::protocol,
                 .reason =
                     "the hello cannot be read: it is malformed, or asks for a role or an "
                     "authentication that this server does not know",
                 .advice = "use the same release of Muster in the whole job"};
}

}  // namespace

Door::Door(const CoreOptions& options, Random& random, Membership& members, Heart& heart)
    : options_(options), random_(random), members_(members), heart_(heart) {
  if (options.secret) keys_.emplace(*options.secret, options.job);
}

Door::Entry Door::take(LinkId link, Peer& peer, Bytes& bytes, TimePoint now, Outbox& out) {
  if (peer.seeks()) return too_early(link, peer, now, out);
  strangers_.spoke(link);
  if (peer.asked()) return check_proof(link, peer, bytes, now, out);
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
  if (!options_.tls && first_is_tls(peer.stored())) out.raw(link, as_bytes(tls_alert));
  turn_away(link, peer, fmt::format("{} is no hello", likeness(peer.stored())), now, out);
  return Entry::turned_away;
}

Door::Entry Door::too_early(LinkId link, const Peer& peer, TimePoint now, Outbox& out) {
  turn_away(link, peer, "it went on before it had its rank", now, out);
  return Entry::turned_away;
}

/// Answers a complete hello.
Door::Entry Door::greet(LinkId link, Peer& peer, Bytes bytes, TimePoint now, Outbox& out) {
  const auto hello = wire::decode_client_hello(bytes);
  const bool asks = keys_ && !peer.vouched();
  Value said = say_hello(link, asks ? wire::Auth::secret : wire::Auth::none, out);
  if (!hello) return refuse(link, peer, unreadable(), now, out);
  if (const auto other = check_version(*hello)) return refuse(link, peer, *other, now, out);
  if (const auto wrong = check_security(peer, *hello)) return refuse(link, peer, *wrong, now, out);
  if (!asks) return judged(link, peer, *hello, now, out);
  peer.ask({*hello, now, to_value(bytes), std::move(said)});
  return Entry::waiting;
}

/// Whether the newcomer expects the protection that the job has.
std::optional<Failure> Door::check_security(const Peer& peer,
                                            const wire::ClientHello& hello) const {
  const auto differ = [this](std::string_view how, std::string advice) {
    return Failure{.code = Code::refused,
                   .reason = fmt::format("job {} {}", quoted(options_.job), how),
                   .advice = std::move(advice)};
  };
  if (peer.vouched()) return std::nullopt;
  if (options_.tls) {
    return differ("is served over TLS, and you came without",
                  "give every process what the job has: MUSTER_SECURITY=tls, and its secret or "
                  "certificates");
  }
  const bool proves = hello.auth == wire::Auth::secret;
  if (keys_ && !proves) {
    return differ("asks for its secret, and you have none",
                  "give every process the job's secret, for example by MUSTER_SECRET_FILE");
  }
  if (!keys_ && proves) {
    return differ("has no secret, and you have one",
                  "give the server the secret, too, or check the address: another job may be "
                  "served here");
  }
  return std::nullopt;
}

/// Answers as much of a proof as has come.
Door::Entry Door::check_proof(LinkId link, Peer& peer, Bytes& bytes, TimePoint now, Outbox& out) {
  const Peer::ProofFound found = peer.take_proof(bytes);
  bytes = found.rest;
  if (found.more) return Entry::waiting;
  const Peer::Asked& asked = *peer.asked();
  const Digest expected = wire::client_proof(*keys_, asked.client_hello, asked.server_hello);
  if (!found.proof || !equal_in_constant_time(found.proof->digest, expected)) {
    return refuse(link, peer,
                  Failure{.code = Code::refused,
                          .reason = "the proof is wrong: you do not hold this job's secret",
                          .advice = "give every process of the job the same secret"},
                  now, out);
  }
  wire::ClientHello hello = asked.hello;
  const auto since = std::chrono::ceil<std::chrono::milliseconds>(now - asked.at).count();
  hello.left_ms -= static_cast<std::uint32_t>(std::min<std::int64_t>(since, hello.left_ms));
  return judged(link, peer, hello, now, out,
                wire::server_proof(*keys_, asked.client_hello, asked.server_hello, expected));
}

/// Of a newcomer that may belong to the job: whether it does, and what becomes of it.
Door::Entry Door::judged(LinkId link, Peer& peer, const wire::ClientHello& hello, TimePoint now,
                         Outbox& out, const Digest& proof) {
  const Verdict verdict = judge(hello, options_, members_.roster(), members_.standing());
  switch (verdict.kind) {
    case Verdict::Kind::refuse:
      return refuse(link, peer, verdict.failure, now, out);
    case Verdict::Kind::doom:
      out.fail({link, wire::Type::refused, 0}, verdict.failure);
      out.close(link);
      strangers_.gone(link);
      members_.doom(verdict.failure, out);
      return Entry::turned_away;
    case Verdict::Kind::welcome:
      break;
  }
  if (hello.role == wire::Role::assigned) {
    peer.seek(proof);
    strangers_.gone(link);
    members_.seek(link, hello, now, out);
    return Entry::waiting;
  }
  welcome(link, peer, hello, now, out, proof);
  return Entry::admitted;
}

Door::Entry Door::refuse(LinkId link, const Peer& peer, const Failure& failure, TimePoint now,
                         Outbox& out) {
  out.fail({link, wire::Type::refused, 0}, failure);
  turn_away(link, peer, failure.reason, now, out);
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

Value Door::say_hello(LinkId link, wire::Auth auth, Outbox& out) {
  wire::ServerHello hello{.auth = auth, .incarnation = options_.incarnation, .job = options_.job};
  random_.fill(hello.nonce);
  Value bytes = wire::encode(hello);
  out.raw(link, bytes);
  return bytes;
}

void Door::welcome(LinkId link, Peer& peer, const wire::ClientHello& hello, TimePoint now,
                   Outbox& out, const Digest& proof) {
  using std::chrono::milliseconds;
  const bool is_rank = hello.role == wire::Role::rank;
  const bool beats = (hello.features & wire::feature_beats) != 0;
  const auto heartbeat =
      std::chrono::duration_cast<milliseconds>(beats ? heart_.heartbeat() : Duration{});
  peer.admit(is_rank ? expand(hello.ranks) : Ranks{}, hello.features);
  strangers_.gone(link);
  const wire::Welcome welcome{
      .epoch = options_.epoch,
      .size = is_rank ? hello.size : members_.roster().size(),
      .rank = is_rank ? peer.ranks().front() : no_rank,
      .server_rank = options_.server_rank,
      .host = options_.host,
      .pid = options_.pid,
      .value_bytes_max = limits::value_bytes_max,
      .round_bytes_max = static_cast<std::uint32_t>(options_.round_bytes_max),
      .heartbeat_ms = static_cast<std::uint32_t>(heartbeat.count()),
      .proof = proof};
  out.written({link, wire::Type::welcome, 0}, [&](Value& body) { wire::encode(welcome, body); });
  if (heartbeat > milliseconds{0}) {
    heart_.add(link, now);
    out.event(Guard{link, heart_.silence_max()});
  }
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
