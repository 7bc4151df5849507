#include "net/tls_context.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <openssl/ssl.h>

#include "base/assert.hpp"
#include "base/keyed.hpp"
#include "base/limits.hpp"
#include "net/tls.hpp"
#include "net/tls_certificates.hpp"

namespace muster::net {
namespace {

constexpr unsigned char cipher_number[] = {0x13, 0x01};
/// Sessions end after five minutes, and this one stands for a key that does not.
constexpr long for_ever_s = 100L * 365 * 24 * 3600;
/// What a client shows that was not told its job.
constexpr std::string_view any_job = "*";

const TlsContext& context_of(const SSL* ssl) {
  return *static_cast<const TlsContext*>(SSL_CTX_get_app_data(SSL_get_SSL_CTX(ssl)));
}

int offer_key(SSL* ssl, const EVP_MD* digest, const unsigned char** identity,
              std::size_t* identity_bytes, SSL_SESSION** session) {
  const TlsContext& context = context_of(ssl);
  *session = nullptr;
  if (digest != nullptr && EVP_MD_get_type(digest) != NID_sha256) return 1;
  const std::string_view job = context.job().empty() ? any_job : context.job();
  *identity = reinterpret_cast<const unsigned char*>(job.data());
  *identity_bytes = job.size();
  SSL_SESSION_up_ref(context.key_session());
  *session = context.key_session();
  return 1;
}

/// Whatever job is named, there is one key, and who offers it has to prove that it has it; one who
/// belongs elsewhere is then told so in words, by the hello.
int find_key(SSL* ssl, const unsigned char*, std::size_t, SSL_SESSION** session) {
  SSL_SESSION_up_ref(context_of(ssl).key_session());
  *session = context_of(ssl).key_session();
  return 1;
}

/// Whether a certificate, its chain being good, is one of this job.
void check_job(X509_STORE_CTX* verification, const TlsContext& context, std::string& trouble) {
  if (context.jobs().empty()) return;
  const X509* certificate = X509_STORE_CTX_get_current_cert(verification);
  const std::vector<std::string> named = jobs_in(certificate);
  const auto ours = [&](const std::string& job) {
    return std::find(context.jobs().begin(), context.jobs().end(), job) != context.jobs().end();
  };
  if (named.empty() || std::any_of(named.begin(), named.end(), ours)) return;
  trouble = fmt::format("{} is for job {}, this is job {}", certificate_text(certificate),
                        fmt::join(named, ", "), fmt::join(context.jobs(), ", "));
  X509_STORE_CTX_set_error(verification, X509_V_ERR_CERT_REJECTED);
}

int check_peer(int good, X509_STORE_CTX* verification) {
  const auto* ssl = static_cast<const SSL*>(
      X509_STORE_CTX_get_ex_data(verification, SSL_get_ex_data_X509_STORE_CTX_idx()));
  std::string trouble;
  if (good != 1) {
    trouble = verify_text(verification);
  } else if (X509_STORE_CTX_get_error_depth(verification) == 0) {
    check_job(verification, context_of(ssl), trouble);
  }
  if (trouble.empty()) return 1;
  static_cast<Tls*>(SSL_get_app_data(ssl))->note(std::move(trouble));
  return 0;
}

SSL_SESSION* session_of(SSL_CTX* context, const Digest& key) {
  SSL* ssl = SSL_new(context);
  MUSTER_ASSERT(ssl != nullptr);
  SSL_SESSION* session = SSL_SESSION_new();
  MUSTER_ASSERT(session != nullptr);
  const auto* bytes = reinterpret_cast<const unsigned char*>(key.data());
  const bool made = SSL_SESSION_set1_master_key(session, bytes, key.size()) == 1 &&
                    SSL_SESSION_set_cipher(session, SSL_CIPHER_find(ssl, cipher_number)) == 1 &&
                    SSL_SESSION_set_protocol_version(session, TLS1_3_VERSION) == 1;
  MUSTER_ASSERT(made);
  SSL_SESSION_set_timeout(session, for_ever_s);
  SSL_free(ssl);
  return session;
}

}  // namespace

void FreeTls::operator()(ssl_ctx_st* context) const {
  SSL_CTX_free(context);
}
void FreeTls::operator()(ssl_session_st* session) const {
  SSL_SESSION_free(session);
}

TlsContext::TlsContext(TlsSide side, std::string_view job)
    : side_(side),
      job_(job),
      context_(SSL_CTX_new(side == TlsSide::server ? TLS_server_method() : TLS_client_method())) {
  SSL_CTX* context = context_.get();
  MUSTER_ASSERT(context != nullptr);
  const bool set = SSL_CTX_set_min_proto_version(context, TLS1_3_VERSION) == 1 &&
                   SSL_CTX_set_max_proto_version(context, TLS1_3_VERSION) == 1 &&
                   SSL_CTX_set_ciphersuites(context, "TLS_AES_128_GCM_SHA256") == 1 &&
                   SSL_CTX_set1_groups_list(context, "X25519") == 1 &&
                   SSL_CTX_set_num_tickets(context, 0) == 1;
  MUSTER_ASSERT(set);
  SSL_CTX_set_options(context, SSL_OP_NO_TICKET | SSL_OP_NO_RENEGOTIATION);
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  // A server has thousands of links; a client has one, and taking its buffers anew for each record
  // would cost more than they do.
  if (side == TlsSide::server) SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_app_data(context, this);
}

void TlsContext::use(const Secret& secret) {
  Digest key = hkdf_sha256(secret.bytes(), {}, "muster/1 tls psk");
  key_session_.reset(session_of(context_.get(), key));
  wipe(key);
  if (side_ == TlsSide::server) {
    SSL_CTX_set_psk_find_session_callback(context_.get(), find_key);
    return;
  }
  SSL_CTX_set_psk_use_session_callback(context_.get(), offer_key);
  // It trusts nobody's certificate: a server that does not use the key gets nowhere.
  SSL_CTX_set_verify(context_.get(), SSL_VERIFY_PEER, nullptr);
}

Result<void> TlsContext::use(const Certificates& files) {
  Result<std::vector<std::string>> own = use_certificates(context_.get(), files, job_);
  if (!own) return std::move(own).error();
  jobs_ = *std::move(own);
  if (!job_.empty()) jobs_ = {job_};
  SSL_CTX_set_verify(context_.get(), SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, check_peer);
  return {};
}

Result<std::shared_ptr<const TlsContext>> TlsContext::make(TlsSide side, const Secret& secret,
                                                           std::string_view job) {
  const std::shared_ptr<TlsContext> context(new TlsContext(side, job));  // taste: private
  context->use(secret);
  return std::shared_ptr<const TlsContext>(context);
}

Result<std::shared_ptr<const TlsContext>> TlsContext::make(TlsSide side, const Certificates& files,
                                                           std::string_view job) {
  const std::shared_ptr<TlsContext> context(new TlsContext(side, job));  // taste: private
  if (Result<void> good = context->use(files); !good) return std::move(good).error();
  return std::shared_ptr<const TlsContext>(context);
}

}  // namespace muster::net
