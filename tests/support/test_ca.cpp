#include "support/test_ca.hpp"

#include <cstdio>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <sys/stat.h>

#include "base/assert.hpp"

namespace muster::support {
namespace {

struct Free {
  void operator()(X509* certificate) const { X509_free(certificate); }
  void operator()(X509_CRL* list) const { X509_CRL_free(list); }
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
  void operator()(X509_NAME* name) const { X509_NAME_free(name); }
  void operator()(std::FILE* file) const { std::fclose(file); }
};
template <class T>
using Owned = std::unique_ptr<T, Free>;

Owned<X509_NAME> name_of(const std::string& text) {
  Owned<X509_NAME> name(X509_NAME_new());
  X509_NAME_add_entry_by_txt(name.get(), "CN", MBSTRING_UTF8,
                             reinterpret_cast<const unsigned char*>(text.c_str()), -1, -1, 0);
  return name;
}

void extend(X509* certificate, int kind, const std::string& value) {
  X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, nullptr, kind, value.c_str());
  MUSTER_ASSERT(extension != nullptr);
  X509_add_ext(certificate, extension, -1);
  X509_EXTENSION_free(extension);
}

template <class Write>
void write_pem(const std::string& path, const char* mode, Write write) {
  const Owned<std::FILE> file(std::fopen(path.c_str(), mode));
  MUSTER_ASSERT(file && write(file.get()) == 1);
}

Owned<X509> make(long serial, const std::string& name, EVP_PKEY* key, long from_s, long until_s) {
  Owned<X509> made(X509_new());
  X509_set_version(made.get(), 2);
  ASN1_INTEGER_set(X509_get_serialNumber(made.get()), serial);
  X509_gmtime_adj(X509_getm_notBefore(made.get()), from_s);
  X509_gmtime_adj(X509_getm_notAfter(made.get()), until_s);
  X509_set_subject_name(made.get(), name_of(name).get());
  X509_set_pubkey(made.get(), key);
  return made;
}

}  // namespace

struct TestCa::State {
  Owned<EVP_PKEY> key{EVP_EC_gen("P-256")};
  Owned<X509> certificate;
  long last_serial = 1;
  std::vector<long> revoked;
};

TestCa::TestCa(const std::string& name) : state_(std::make_unique<State>()) {
  state_->certificate = make(1, name, state_->key.get(), -7200, 86'400);
  X509* own = state_->certificate.get();
  X509_set_issuer_name(own, X509_get_subject_name(own));
  extend(own, NID_basic_constraints, "critical,CA:TRUE");
  MUSTER_ASSERT(X509_sign(own, state_->key.get(), EVP_sha256()) != 0);
  write_pem(path("ca.pem"), "w", [&](std::FILE* file) { return PEM_write_X509(file, own); });
}

TestCa::~TestCa() = default;

Certificates TestCa::issue(const Leaf& leaf) {
  const long serial = ++state_->last_serial;
  const Owned<EVP_PKEY> key(EVP_EC_gen("P-256"));
  const Owned<X509> made =
      make(serial, leaf.name, key.get(), leaf.valid_from_s, leaf.valid_until_s);
  const X509* issuer = leaf.signed_by_itself ? made.get() : state_->certificate.get();
  X509_set_issuer_name(made.get(), X509_get_subject_name(issuer));
  std::string jobs;
  for (const std::string& job : leaf.jobs) {
    jobs += (jobs.empty() ? "URI:muster:job:" : ",URI:muster:job:") + job;
  }
  if (!jobs.empty()) extend(made.get(), NID_subject_alt_name, jobs);
  EVP_PKEY* signer = leaf.signed_by_itself ? key.get() : state_->key.get();
  MUSTER_ASSERT(X509_sign(made.get(), signer, EVP_sha256()) != 0);
  if (leaf.revoked) state_->revoked.push_back(serial);

  Certificates files;
  files.certificate_file = path(std::to_string(serial) + ".pem");
  files.key_file = path(std::to_string(serial) + ".key");
  files.ca_file = path("ca.pem");
  if (!state_->revoked.empty()) files.crl_file = crl_file();
  write_pem(files.certificate_file, "w",
            [&](std::FILE* file) { return PEM_write_X509(file, made.get()); });
  write_pem(files.key_file, "w", [&](std::FILE* file) {
    ::fchmod(::fileno(file), 0600);
    const EVP_CIPHER* cipher = leaf.password.empty() ? nullptr : EVP_aes_128_cbc();
    return PEM_write_PrivateKey(file, key.get(), cipher, nullptr, 0, nullptr,
                                const_cast<char*>(leaf.password.c_str()));
  });
  return files;
}

std::string TestCa::crl_file() {
  const Owned<X509_CRL> list(X509_CRL_new());
  X509_CRL_set_version(list.get(), 1);
  X509_CRL_set_issuer_name(list.get(), X509_get_subject_name(state_->certificate.get()));
  ASN1_TIME* time = ASN1_TIME_new();
  X509_CRL_set1_lastUpdate(list.get(), X509_gmtime_adj(time, -60));
  X509_CRL_set1_nextUpdate(list.get(), X509_gmtime_adj(time, 3600));
  for (const long serial : state_->revoked) {
    X509_REVOKED* revoked = X509_REVOKED_new();
    ASN1_INTEGER* number = ASN1_INTEGER_new();
    ASN1_INTEGER_set(number, serial);
    X509_REVOKED_set_serialNumber(revoked, number);
    X509_REVOKED_set_revocationDate(revoked, X509_gmtime_adj(time, -60));
    X509_CRL_add0_revoked(list.get(), revoked);
    ASN1_INTEGER_free(number);
  }
  ASN1_TIME_free(time);
  X509_CRL_sort(list.get());
  MUSTER_ASSERT(X509_CRL_sign(list.get(), state_->key.get(), EVP_sha256()) != 0);
  write_pem(path("crl.pem"), "w",
            [&](std::FILE* file) { return PEM_write_X509_CRL(file, list.get()); });
  return path("crl.pem");
}

}  // namespace muster::support
