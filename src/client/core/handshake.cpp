#include "client/core/handshake.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <string_view>
#include <utility>

#include "base/assert.hpp"
#include "base/keyed.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"
#include "wire/notices.hpp"

namespace muster::client {
namespace {

/// A welcome is far smaller; a refusal that names every rank that an error may list is, too.
constexpr std::size_t answer_bytes_max = 256U << 10;

constexpr const char* check_address = "check the address and port that the job was given";
constexpr const char* check_release = "check that server and ranks run the same release";

/// What a peer that is no Muster server seems to be.
std::string guess(Bytes first, Bytes own_hello) {
  const std::string_view text = as_text(first);
  if (text.starts_with("HTTP/")) return "it speaks HTTP";
  if (text.starts_with("SSH-")) return "it speaks SSH";
  if (text.starts_with("\x15\x03") || text.starts_with("\x16\x03")) return "it speaks TLS";
  if (as_text(own_hello).starts_with(text.substr(0, own_hello.size()))) {
    return "it echoes what it is sent";
  }
  return "it speaks another protocol";
}

}  // namespace

Handshake::Handshake(wire::ClientHello hello, std::optional<Secret> secret)
    : hello_(std::move(hello)), secret_(std::move(secret)) {
  if (secret_) hello_.auth = wire::Auth::secret;
  sent_ = encode(hello_);
}

Handshake::State Handshake::feed(Bytes bytes, std::size_t& used) {
  MUSTER_ASSERT(session_.job.empty() && error_.what.empty());  // not decided yet
  const std::size_t before = seen_.size();
  seen_.insert(seen_.end(), bytes.begin(), bytes.end());
  used = bytes.size();
  State state = server_ ? State::more : take_hello();
  if (server_ && state == State::more) state = take_frame();
  if (state == State::welcomed) used = taken_ - before;
  return state;
}

Handshake::State Handshake::take_hello() {
  const wire::HelloScan scan = wire::scan_server_hello(seen_);
  if (scan.state == wire::HelloState::more) return State::more;
  if (scan.state != wire::HelloState::complete) {
    return fail(Code::protocol,
                fmt::format("the peer is no Muster server: {} (its first bytes: {})",
                            guess(seen_, hello()), quoted(as_text(seen_))),
                check_address);
  }
  taken_ = server_hello_bytes_ = scan.length;
  auto server = wire::decode_server_hello(Bytes(seen_).first(scan.length));
  if (!server) return fail(Code::protocol, "the server's hello is malformed", check_release);
  if (server->version != wire::version) {
    return fail(Code::refused,
                fmt::format("the server speaks version {} of the protocol, this process version {}",
                            server->version, wire::version),
                check_release);
  }
  if (!check_job_id(server->job) || server->incarnation.number == 0) {
    return fail(Code::protocol, "the server's hello does not name a job", check_release);
  }
  server_ = std::move(server);
  return take_auth(server_->auth);
}

Handshake::State Handshake::take_auth(wire::Auth auth) {
  // A server that asks for less than this client has is none that knows the secret: it refuses, or
  // is refused here when it does not.
  if (auth == wire::Auth::none || !secret_) return State::more;
  keys_.emplace(*secret_, server_->job);
  proof_ = wire::client_proof(*keys_, sent_, Bytes(seen_).first(taken_));
  // A server that has gone on already has refused.
  return seen_.size() == taken_ ? State::prove : State::more;
}

Value Handshake::answer() {
  return frame(wire::Type::proof, wire::Proof{proof_});
}

Handshake::State Handshake::take_frame() {
  const Bytes rest = Bytes(seen_).subspan(taken_);
  if (rest.size() < wire::header_bytes) return State::more;
  wire::FrameHeader header;
  const bool good = wire::get_header(rest.data(), header) && header.length <= answer_bytes_max &&
                    (header.type == wire::Type::welcome || header.type == wire::Type::refused);
  if (!good) {
    return fail(Code::protocol, "the server's hello is followed by neither welcome nor refusal",
                check_release);
  }
  if (rest.size() < wire::header_bytes + header.length) return State::more;
  taken_ += wire::header_bytes + header.length;
  const Bytes body = rest.subspan(wire::header_bytes, header.length);
  return header.type == wire::Type::welcome ? take_welcome(body) : take_refusal(body);
}

Handshake::State Handshake::take_welcome(Bytes body) {
  const auto welcome = wire::decode_welcome(body);
  if (!welcome) return fail(Code::protocol, "the server's welcome is malformed", check_release);
  if (secret_ && !proves_itself(*welcome)) {
    return fail(Code::refused,
                fmt::format("the server of job {} does not prove that it holds the job's secret",
                            quoted(server_->job)),
                "check the address: this may be an impostor, or a server without the secret");
  }
  // A server refuses these itself; one that does not is no server of this job.
  if (!hello_.job.empty() && hello_.job != server_->job) {
    return fail(Code::refused,
                fmt::format("this is job {}, this process belongs to {}", server_->job, hello_.job),
                check_address);
  }
  const std::uint64_t expected = hello_.incarnation.number;
  if (expected != 0 && expected != server_->incarnation.number) {
    return fail(Code::refused,
                fmt::format("this is start {} of job {}, this process belongs to {}",
                            server_->incarnation.text(), server_->job, hello_.incarnation.text()),
                "a process of an earlier start of the job must not go on");
  }
  if (hello_.size != 0 && hello_.size != welcome->size) {
    return fail(Code::protocol,
                fmt::format("welcomed into a job of size {}, having asked for one of size {}",
                            welcome->size, hello_.size),
                check_release);
  }
  session_.job = server_->job;
  session_.incarnation = server_->incarnation;
  session_.epoch = welcome->epoch;
  session_.size = welcome->size;
  const bool named = hello_.role == wire::Role::rank && !hello_.ranks.empty();
  const bool is_rank = named || hello_.role == wire::Role::assigned;
  session_.rank = named ? hello_.ranks.front().first : welcome->rank;
  if (welcome->rank != session_.rank || (welcome->rank < welcome->size) != is_rank) {
    return fail(Code::protocol,
                fmt::format("welcomed as rank {} of {}, which is not what was asked for",
                            welcome->rank, welcome->size),
                check_release);
  }
  session_.server = {welcome->server_rank, printable(welcome->host, limits::host_bytes_max),
                     welcome->pid, ""};
  if ((hello_.features & wire::feature_beats) != 0 && welcome->heartbeat_ms != 0) {
    session_.heartbeat = std::clamp<Duration>(std::chrono::milliseconds{welcome->heartbeat_ms},
                                              limits::heartbeat_min, limits::heartbeat_max);
  }
  return State::welcomed;
}

bool Handshake::proves_itself(const wire::Welcome& welcome) const {
  if (!keys_) return false;
  const Bytes server_hello = Bytes(seen_).first(server_hello_bytes_);
  const Digest expected = wire::server_proof(*keys_, sent_, server_hello, proof_);
  return equal_in_constant_time(welcome.proof, expected);
}

Handshake::State Handshake::take_refusal(Bytes body) {
  const auto refusal = wire::decode_failure(body);
  if (!refusal) return fail(Code::protocol, "the server's refusal is malformed", check_release);
  error_ = wire::to_error(*refusal, Phase::hello);
  if (error_.what.empty()) error_.what = "the server refused, and did not say why";
  return State::failed;
}

Handshake::State Handshake::fail(Code code, std::string what, std::string advice) {
  error_ = Error{
      .code = code, .phase = Phase::hello, .what = std::move(what), .advice = std::move(advice)};
  return State::failed;
}

}  // namespace muster::client
