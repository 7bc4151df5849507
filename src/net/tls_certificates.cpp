#include "net/tls_certificates.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <memory>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include "base/keyed.hpp"
#include "base/limits.hpp"
#include "base/private_file.hpp"
#include "base/text.hpp"
#include "base/usage_error.hpp"

namespace muster::net {
namespace {

constexpr std::string_view job_uri = "muster:job:";

struct Free {
  void operator()(BIO* bio) const { BIO_free(bio); }
  void operator()(X509* certificate) const { X509_free(certificate); }
  void operator()(X509_CRL* list) const { X509_CRL_free(list); }
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
  void operator()(X509_STORE* store) const { X509_STORE_free(store); }
  void operator()(X509_STORE_CTX* verification) const { X509_STORE_CTX_free(verification); }
  void operator()(STACK_OF(X509) * chain) const { sk_X509_pop_free(chain, X509_free); }
};
template <class T>
using Owned = std::unique_ptr<T, Free>;

Error wrong(std::string what, std::string advice = "") {
  ERR_clear_error();
  return usage_error(std::move(what), std::move(advice));
}

/// Everything PEM in one file, of one kind.
template <class T, class Read>
Result<std::vector<Owned<T>>> read_all(const std::string& path, const char* what, Read read) {
  const Result<Value> text = read_file(path, what, limits::tls_file_bytes_max);
  if (!text) return text.error();
  const Owned<BIO> bio(BIO_new_mem_buf(text->data(), static_cast<int>(text->size())));
  std::vector<Owned<T>> all;
  while (T* each = read(bio.get(), nullptr, nullptr, nullptr)) all.emplace_back(each);
  const auto last = ERR_peek_last_error();
  const bool at_end =
      ERR_GET_LIB(last) == ERR_LIB_PEM && ERR_GET_REASON(last) == PEM_R_NO_START_LINE;
  ERR_clear_error();
  if (!all.empty() && at_end) return all;
  return wrong(fmt::format("{} {} {}", what, quoted(path),
                           all.empty() ? "holds none in PEM" : "is damaged behind the first"),
               "expected a text that begins with -----BEGIN");
}

struct Password {
  const std::function<Result<std::string>()>& ask;
  bool asked = false;
  std::optional<Error> error;
};

int give_password(char* into, int room, int, void* data) {
  auto& password = *static_cast<Password*>(data);
  password.asked = true;
  if (!password.ask) return -1;
  Result<std::string> given = password.ask();
  if (!given) password.error = std::move(given).error();
  if (password.error) return -1;
  const std::size_t size = std::min(given->size(), static_cast<std::size_t>(room));
  given->copy(into, size);
  wipe(std::as_writable_bytes(std::span(*given)));
  return static_cast<int>(size);
}

Result<Owned<EVP_PKEY>> read_key(const Certificates& files) {
  constexpr const char* what = "the private key's file (key_file, MUSTER_TLS_KEY)";
  Result<Value> text = read_private_file(files.key_file, what, limits::tls_file_bytes_max);
  if (!text) return std::move(text).error();
  Password password{.ask = files.key_password};
  const Owned<BIO> bio(BIO_new_mem_buf(text->data(), static_cast<int>(text->size())));
  Owned<EVP_PKEY> key(PEM_read_bio_PrivateKey(bio.get(), nullptr, give_password, &password));
  wipe(*text);
  ERR_clear_error();
  if (key) return key;
  if (password.error) return *std::move(password.error);
  const std::string named = fmt::format("{} {}", what, quoted(files.key_file));
  if (!password.asked) return wrong(named + " holds no private key in PEM");
  if (!password.ask) {
    return wrong(named + " is encrypted, and no password was given",
                 "set MUSTER_TLS_KEY_PASSWORD_FILE, or the option key_password");
  }
  return wrong("the password given for " + named +
               " is not that of the key, or the file is damaged");
}

Result<void> check_names(const X509* certificate, const std::string& path, std::string_view job,
                         const std::vector<std::string>& jobs) {
  if (job.empty() || jobs.empty()) return {};
  if (std::find(jobs.begin(), jobs.end(), job) != jobs.end()) return {};
  return wrong(fmt::format("{} in {} is for job {}, this is job {}", certificate_text(certificate),
                           quoted(path), fmt::join(jobs, ", "), job),
               "use a certificate of this job, or set MUSTER_JOB");
}

/// As a peer would look at it.
Result<void> check_trust(X509_STORE* store, X509* certificate, STACK_OF(X509) * chain,
                         const Certificates& files) {
  const Owned<X509_STORE_CTX> verification(X509_STORE_CTX_new());
  X509_STORE_CTX_init(verification.get(), store, certificate, chain);
  const bool good = X509_verify_cert(verification.get()) == 1;
  ERR_clear_error();
  if (good) return {};
  return wrong(
      fmt::format(
          "the certificate in {} does not pass: {} (trusted is what {} holds{})",
          quoted(files.certificate_file), verify_text(verification.get()), quoted(files.ca_file),
          files.crl_file.empty() ? "" : ", less what " + quoted(files.crl_file) + " revokes"),
      "no peer would take it: use one that the CA has signed, and that is valid now");
}

Result<void> fill(X509_STORE* store, const Certificates& files) {
  const auto trusted =
      read_all<X509>(files.ca_file, "the CA's file (ca_file, MUSTER_TLS_CA)", PEM_read_bio_X509);
  if (!trusted) return trusted.error();
  for (const auto& each : *trusted) X509_STORE_add_cert(store, each.get());
  if (files.crl_file.empty()) return {};
  const auto lists = read_all<X509_CRL>(
      files.crl_file, "the revocation list (crl_file, MUSTER_TLS_CRL)", PEM_read_bio_X509_CRL);
  if (!lists) return lists.error();
  for (const auto& each : *lists) X509_STORE_add_crl(store, each.get());
  X509_STORE_set_flags(store, X509_V_FLAG_CRL_CHECK | X509_V_FLAG_CRL_CHECK_ALL);
  return {};
}

}  // namespace

std::vector<std::string> jobs_in(const x509_st* certificate) {
  std::vector<std::string> jobs;
  auto* names = static_cast<GENERAL_NAMES*>(
      X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr));
  for (int i = 0; i < sk_GENERAL_NAME_num(names); ++i) {
    const GENERAL_NAME* name = sk_GENERAL_NAME_value(names, i);
    if (name->type != GEN_URI) continue;
    const ASN1_IA5STRING* text = name->d.uniformResourceIdentifier;
    const std::string_view uri(reinterpret_cast<const char*>(ASN1_STRING_get0_data(text)),
                               static_cast<std::size_t>(ASN1_STRING_length(text)));
    if (uri.starts_with(job_uri)) {
      jobs.push_back(printable(uri.substr(job_uri.size()), limits::job_id_bytes_max));
    }
  }
  GENERAL_NAMES_free(names);
  return jobs;
}

std::string certificate_text(const x509_st* certificate) {
  const Owned<BIO> bio(BIO_new(BIO_s_mem()));
  X509_NAME_print_ex(bio.get(), X509_get_subject_name(certificate), 0, XN_FLAG_ONELINE);
  char* text = nullptr;
  const long size = BIO_get_mem_data(bio.get(), &text);
  const std::string_view name(text, size > 0 ? static_cast<std::size_t>(size) : 0);
  return fmt::format("certificate '{}'", printable(name, limits::text_bytes_max / 2));
}

std::string verify_text(const x509_store_ctx_st* verification) {
  const int error = X509_STORE_CTX_get_error(verification);
  const X509* at = X509_STORE_CTX_get_current_cert(verification);
  return fmt::format("{}: {}", at != nullptr ? certificate_text(at) : "certificate",
                     X509_verify_cert_error_string(error));
}

Result<std::vector<std::string>> use_certificates(ssl_ctx_st* context, const Certificates& files,
                                                  std::string_view job) {
  if (Result<void> filled = fill(SSL_CTX_get_cert_store(context), files); !filled) {
    return std::move(filled).error();
  }
  const auto own = read_all<X509>(files.certificate_file,
                                  "the certificate's file (certificate_file, MUSTER_TLS_CERT)",
                                  PEM_read_bio_X509);
  if (!own) return own.error();
  const Result<Owned<EVP_PKEY>> key = read_key(files);
  if (!key) return key.error();
  X509* certificate = own->front().get();
  if (X509_check_private_key(certificate, key->get()) != 1) {
    return wrong(fmt::format("the key in {} is not that of the certificate in {}",
                             quoted(files.key_file), quoted(files.certificate_file)));
  }
  const Owned<STACK_OF(X509)> chain(sk_X509_new_null());
  for (std::size_t i = 1; i < own->size(); ++i) {
    X509_up_ref((*own)[i].get());
    sk_X509_push(chain.get(), (*own)[i].get());
  }
  Result<void> trusted =
      check_trust(SSL_CTX_get_cert_store(context), certificate, chain.get(), files);
  if (!trusted) return std::move(trusted).error();
  std::vector<std::string> jobs = jobs_in(certificate);
  Result<void> named = check_names(certificate, files.certificate_file, job, jobs);
  if (!named) return std::move(named).error();
  if (SSL_CTX_use_cert_and_key(context, certificate, key->get(), chain.get(), 1) != 1) {
    return wrong(
        fmt::format("the certificate in {} cannot be used: {}", quoted(files.certificate_file),
                    ERR_reason_error_string(ERR_peek_last_error())),
        "TLS 1.3 wants RSA keys of 2,048 bits or more, or EC or Ed25519 keys");
  }
  return jobs;
}

}  // namespace muster::net
