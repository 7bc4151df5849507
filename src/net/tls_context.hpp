/// \file
/// What the TLS links of one side of a job share: keys, certificates, and what is asked of a peer.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <muster/result.hpp>
#include <muster/security.hpp>

struct ssl_ctx_st;
struct ssl_session_st;

namespace muster::net {

struct FreeTls {
  void operator()(ssl_ctx_st* context) const;
  void operator()(ssl_session_st* session) const;
};

enum class TlsSide : std::uint8_t { client, server };

/// Resource; constant, any number of threads. TLS 1.3 with X25519 and AES-128-GCM and nothing else:
/// no resumption, no early data.
class TlsContext {
 public:
  /// By a key made of the job's secret: both sides prove that they have it. `job` is shown to who
  /// listens, and empty for a client that was not told it.
  static Result<std::shared_ptr<const TlsContext>> make(TlsSide side, const Secret& secret,
                                                        std::string_view job);
  /// By certificates, of both sides. Host names in them are not looked at; what has URIs of the
  /// form muster:job:ID among its alternative names is for these jobs only. A client that was not
  /// told its job belongs to those of its own certificate. Errors, which name the file: `system` if
  /// one cannot be read; `invalid_argument` for what is wrong with it: not PEM, a key that others
  /// may read, that needs another password or belongs to another certificate, a certificate that
  /// the CA has not signed, that is revoked, expired, not valid yet, or for another job.
  static Result<std::shared_ptr<const TlsContext>> make(TlsSide side, const Certificates& files,
                                                        std::string_view job);

  TlsSide side() const { return side_; }
  bool by_certificates() const { return !key_session_; }
  const std::string& job() const { return job_; }
  /// Of which a certificate that names jobs must name one; none: any will do.
  const std::vector<std::string>& jobs() const { return jobs_; }
  ssl_ctx_st* get() const { return context_.get(); }
  /// Stands for the key; null with certificates.
  ssl_session_st* key_session() const { return key_session_.get(); }

 private:
  TlsContext(TlsSide side, std::string_view job);
  void use(const Secret& secret);
  Result<void> use(const Certificates& files);

  const TlsSide side_;
  const std::string job_;
  std::vector<std::string> jobs_;
  std::unique_ptr<ssl_ctx_st, FreeTls> context_;
  std::unique_ptr<ssl_session_st, FreeTls> key_session_;
};

}  // namespace muster::net
