#include "wire/proofs.hpp"

#include "base/keyed.hpp"

namespace muster::wire {

ProofKeys::ProofKeys(const Secret& secret, std::string_view job)
    : client(hkdf_sha256(secret.bytes(), as_bytes(job), "muster/1 client proof")),
      server(hkdf_sha256(secret.bytes(), as_bytes(job), "muster/1 server proof")) {}

Digest client_proof(const ProofKeys& keys, Bytes client_hello, Bytes server_hello) {
  return hmac_sha256(keys.client, {client_hello, server_hello});
}

Digest server_proof(const ProofKeys& keys, Bytes client_hello, Bytes server_hello,
                    const Digest& client_proof) {
  return hmac_sha256(keys.server, {client_hello, server_hello, client_proof});
}

}  // namespace muster::wire
