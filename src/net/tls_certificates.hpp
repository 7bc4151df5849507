/// \file
/// Certificates of a job: read from their files, and checked before anybody sees them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <muster/result.hpp>
#include <muster/security.hpp>

struct ssl_ctx_st;
struct x509_st;
struct x509_store_ctx_st;

namespace muster::net {

/// Makes `context` show the certificate, and take only peers whose certificate the CA has signed
/// and not revoked. `job` is empty if it is not known. Returns the jobs that the own certificate is
/// for; none: any. Errors: those of TlsContext::make.
Result<std::vector<std::string>> use_certificates(ssl_ctx_st* context, const Certificates& files,
                                                  std::string_view job);

/// The jobs that a certificate names.
std::vector<std::string> jobs_in(const x509_st* certificate);

/// What is wrong with the certificate that `verification` has stopped at: "certificate 'CN =
/// node3': certificate has expired".
std::string verify_text(const x509_store_ctx_st* verification);

/// "certificate 'CN = node3'".
std::string certificate_text(const x509_st* certificate);

}  // namespace muster::net
