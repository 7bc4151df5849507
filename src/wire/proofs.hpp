/// \file
/// How two peers prove to each other that they hold the job's secret, without saying it. Each proof
/// is an HMAC over both hellos, whose nonces are fresh, under a key of its own direction: a proof
/// can be neither replayed on another link nor reflected to who made it. They protect the
/// admission, not what follows.
#pragma once

#include <string_view>

#include <muster/bytes.hpp>
#include <muster/digest.hpp>
#include <muster/security.hpp>

namespace muster::wire {

/// Value. HKDF-SHA-256 of the secret, salted with the job's id: "muster/1 client proof" and
/// "muster/1 server proof".
struct ProofKeys {
  ProofKeys(const Secret& secret, std::string_view job);
  Digest client;
  Digest server;
};

/// What the client sends: over both hellos, whole and as they were sent.
Digest client_proof(const ProofKeys& keys, Bytes client_hello, Bytes server_hello);

/// What the server answers a good proof with: it covers that, too.
Digest server_proof(const ProofKeys& keys, Bytes client_hello, Bytes server_hello,
                    const Digest& client_proof);

}  // namespace muster::wire
