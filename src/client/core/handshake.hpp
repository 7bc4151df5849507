/// \file
/// The client's side of the first round trip, pure: bytes in, a session or a refusal out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include <muster/bytes.hpp>
#include <muster/result.hpp>
#include <muster/security.hpp>

#include "client/core/caller.hpp"
#include "wire/frame.hpp"
#include "wire/hello.hpp"
#include "wire/proofs.hpp"

namespace muster::client {

/// Resource; one thread.
class Handshake {
 public:
  /// With a `secret` it proves itself, and takes no server that does not.
  explicit Handshake(wire::ClientHello hello, std::optional<Secret> secret = {});

  /// What is to be sent, first and only once.
  const Value& hello() const { return sent_; }

  /// `prove`: answer() is to be sent, then more is to be read.
  enum class State : std::uint8_t { more, prove, welcomed, failed };
  /// Takes the peer's bytes; `used` says how many of them belong to the handshake: after `welcomed`
  /// the rest are frames. Nothing is allocated by a length that the peer claims.
  /// Not called again after `welcomed` or `failed`.
  State feed(Bytes bytes, std::size_t& used);

  /// After `prove`, once.
  Value answer();

  /// After `welcomed`; addresses and time-out are the driver's to fill in.
  const Session& session() const { return session_; }
  /// After `failed`: the server's refusal, with its code, reason and who is in the way; `refused`
  /// if it speaks no version of ours or serves another job; `protocol`, with what the peer seems to
  /// be, if it is no Muster server. Addresses and elapsed are the driver's to fill in.
  const Error& error() const { return error_; }

 private:
  State take_hello();
  /// Proves itself, if that is asked for.
  State take_auth(wire::Auth auth);
  State take_frame();
  State take_welcome(Bytes body);
  bool proves_itself(const wire::Welcome& welcome) const;
  State take_refusal(Bytes body);
  State fail(Code code, std::string what, std::string advice);

  wire::ClientHello hello_;
  Value sent_;
  std::optional<Secret> secret_;
  std::optional<wire::ProofKeys> keys_;  ///< once the job is known
  Digest proof_{};                       ///< ours
  Value seen_;
  std::size_t taken_ = 0;  ///< bytes of seen_ that are understood
  std::size_t server_hello_bytes_ = 0;
  std::optional<wire::ServerHello> server_;
  Session session_;
  Error error_;
};

}  // namespace muster::client
