/// \file
/// The client's side of a version 0 hello, pure. As Handshake, with less to say.
#pragma once

#include <cstddef>
#include <cstdint>

#include <muster/bytes.hpp>
#include <muster/result.hpp>

#include "client/core/caller.hpp"
#include "client/core/handshake.hpp"
#include "wire/v0.hpp"

namespace muster::client {

/// Resource; one thread.
class Version0Handshake {
 public:
  using State = Handshake::State;

  explicit Version0Handshake(wire::v0::Hello hello) : hello_(hello) { session_.version0 = true; }

  /// What is to be sent, first and only once.
  Value hello() const { return encode(hello_); }

  /// Takes the peer's bytes; `used` says how many of them belong to the handshake. Not called again
  /// after `welcomed` or `failed`.
  State feed(Bytes bytes, std::size_t& used);

  /// After `welcomed`: version 0 says nothing of the job, so names and numbers are empty.
  const Session& session() const { return session_; }
  /// After `failed`: `protocol`, with what the peer said.
  const Error& error() const { return error_; }

 private:
  wire::v0::Hello hello_;
  Value seen_;
  Session session_;
  Error error_;
};

}  // namespace muster::client
