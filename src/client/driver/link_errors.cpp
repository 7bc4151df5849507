#include "client/driver/link_errors.hpp"

#include <fmt/format.h>

#include "base/limits.hpp"
#include "base/seconds.hpp"
#include "base/text.hpp"
#include "net/address.hpp"
#include "wire/notices.hpp"

namespace muster::client {
namespace {

Error hello_error(Code code, Phase phase, std::string what, std::string advice, int fd) {
  return Error{.code = code,
               .phase = phase,
               .what = std::move(what),
               .advice = std::move(advice),
               .local = net::local_text(fd),
               .remote = net::remote_text(fd)};
}

Error link_error(const Session& session, Code code, std::string what, std::string advice) {
  return Error{.code = code,
               .phase = Phase::operation,
               .what = std::move(what),
               .advice = std::move(advice),
               .local = session.local,
               .remote = session.remote};
}

}  // namespace

Error hello_broken(int fd, Phase phase, const std::string& why) {
  if (phase == Phase::tls) {
    return hello_error(Code::unreachable, phase,
                       "connected, but the link broke during TLS's handshake: " + why,
                       "check that what listens there is this job's Muster server, and that it is "
                       "served over TLS",
                       fd);
  }
  return hello_error(Code::unreachable, phase,
                     "connected, but the link broke before the server had answered: " + why,
                     "check that what listens there is this job's Muster server", fd);
}

Error tls_failed(int fd, const net::Tls& tls, Bytes first) {
  using Failure = net::Tls::Failure;
  const auto error = [&](Code code, std::string what, std::string advice) {
    return hello_error(code, Phase::tls, std::move(what), std::move(advice), fd);
  };
  const std::string failed = "TLS's handshake with the server failed: " + tls.why();
  switch (tls.failure()) {
    case Failure::not_tls:
      return error(
          Code::protocol,
          fmt::format("the peer does not speak TLS, and this process expects it (its first "
                      "bytes: {})",
                      quoted(as_text(first))),
          "start the server with the same security, secret or certificates as the ranks, "
          "or check the address and port");
    case Failure::no_key:
      return error(Code::refused, failed,
                   "give every process of the job the same secret, or all of them certificates");
    case Failure::no_trust:
      return error(Code::refused, failed,
                   "look at the certificates, CA and revocation list of both sides");
    case Failure::versions:
      return error(Code::refused, failed,
                   "check the address: this is no Muster server, or somebody meddles in between");
    case Failure::tampered:
    case Failure::other:
      break;
  }
  return error(Code::protocol, failed, "check that nobody meddles in between");
}

Error hello_silent(int fd, Phase phase, Duration waited) {
  return hello_error(
      Code::timeout, phase,
      fmt::format(
          "connected, silent for {:.3f} s: the peer accepts connections but does not answer",
          to_seconds(waited)),
      "the server's process may be stopped or hung, or another program listens there", fd);
}

Error no_answer(const Session& session) {
  return link_error(session, Code::timeout, "no answer from the server before the deadline", "");
}

Error link_lost(const Session& session, const std::string& why) {
  Error error =
      link_error(session, Code::server_lost,
                 fmt::format("the link to the server, {}, broke: {}", session.server.text(), why),
                 "look at what the server's process said last, and whether its host is up");
  error.ranks = {session.server};
  return error;
}

Duration silence_max(const Session& session) {
  return limits::silent_heartbeats_max * session.heartbeat;
}

Error server_silent(const Session& session) {
  Error error = link_error(
      session, Code::server_lost,
      fmt::format("the server, {}, is lost: silent for {} s", session.server.text(),
                  to_seconds(silence_max(session))),
      "see whether its process was stopped, and whether its host and the network are up");
  error.ranks = {session.server};
  return error;
}

Error not_the_protocol(const Session& session) {
  return link_error(session, Code::protocol, "the server sent what the protocol does not allow",
                    "check that server and ranks run the same release");
}

Error link_altered(const Session& session, const std::string& why) {
  Error error =
      link_error(session, Code::protocol,
                 fmt::format("the link to the server, {}, is broken off: TLS says that {}",
                             session.server.text(), why),
                 "nothing of it was taken; find out who meddles with the network between the two");
  error.ranks = {session.server};
  return error;
}

Error watcher_lags(const Session& session, std::size_t waiting_bytes) {
  return link_error(session, Code::limit,
                    fmt::format("{} bytes of changes wait for the handlers of this link's watches, "
                                "at most {} may; the link is closed",
                                waiting_bytes, limits::unsent_bytes_max),
                    "let the handlers return sooner, or watch a narrower prefix");
}

Error last_words(const Session& session, const Failure& failure) {
  Error error = wire::to_error(failure, Phase::operation);
  error.local = session.local;
  error.remote = session.remote;
  return error;
}

}  // namespace muster::client
