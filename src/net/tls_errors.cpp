#include "net/tls_errors.hpp"

#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <string_view>

namespace muster::net {
namespace {

using Failure = Tls::Failure;

/// The last error of TLS itself; what stands around it are its causes, which say less.
int last_reason() {
  int reason = 0;
  while (const auto error = ERR_get_error()) {
    if (ERR_GET_LIB(error) == ERR_LIB_SSL) reason = ERR_GET_REASON(error);
  }
  return reason;
}

/// Of an alert that the peer has sent about us.
TlsTrouble alerted(const TlsContext& context, int alert) {
  std::string said = fmt::format("the peer turned it down: {}", SSL_alert_desc_string_long(alert));
  const bool keyed = !context.by_certificates();
  switch (alert) {
    case SSL_AD_UNEXPECTED_MESSAGE:
      return {Failure::not_tls, "the peer does not speak TLS"};
    case SSL_AD_ILLEGAL_PARAMETER:
    case SSL_AD_DECRYPT_ERROR:
      if (!keyed) break;
      return {Failure::no_key, said + ": it holds another secret than this process"};
    case SSL_AD_HANDSHAKE_FAILURE:
      said += keyed ? ": it knows no key made of a secret, or no cipher of ours"
                    : ": it has no certificate to show, but perhaps a secret";
      return {Failure::no_key, said};
    case SSL_AD_BAD_CERTIFICATE:
      return {Failure::no_trust, said +
                                     ": it does not take our certificate, which may be that of "
                                     "another job"};
    case SSL_AD_UNSUPPORTED_CERTIFICATE:
    case SSL_AD_CERTIFICATE_REVOKED:
    case SSL_AD_CERTIFICATE_EXPIRED:
    case SSL_AD_CERTIFICATE_UNKNOWN:
    case SSL_AD_UNKNOWN_CA:
    case SSL_AD_CERTIFICATE_REQUIRED:
      return {Failure::no_trust, said + ": it does not take our certificate"};
    case SSL_AD_PROTOCOL_VERSION:
    case SSL_AD_INSUFFICIENT_SECURITY:
      return {Failure::versions, said + ": expected TLS 1.3 with X25519 and AES-128-GCM"};
    case SSL_AD_BAD_RECORD_MAC:
      return {Failure::tampered, said + ": what we sent was altered on the way"};
    default:
      break;
  }
  return {Failure::other, said};
}

}  // namespace

TlsTrouble last_tls_trouble(const TlsContext& context, const std::string& noted) {
  const int reason = last_reason();
  if (reason >= SSL_AD_REASON_OFFSET) return alerted(context, reason - SSL_AD_REASON_OFFSET);
  const auto* words = ERR_reason_error_string(ERR_PACK(ERR_LIB_SSL, 0, reason));
  const std::string_view said = words != nullptr ? words : "no reason given";
  switch (reason) {
    case SSL_R_BINDER_DOES_NOT_VERIFY:
      return {Failure::no_key, "the peer does not hold this job's secret"};
    case SSL_R_NO_SUITABLE_SIGNATURE_ALGORITHM:
    case SSL_R_NO_CERTIFICATE_SET:
      return {Failure::no_key, "the peer offers no key made of a secret; it may have certificates"};
    case SSL_R_CERTIFICATE_VERIFY_FAILED:
      if (!context.by_certificates()) {
        return {Failure::no_key, "the peer shows a certificate, and we have a secret"};
      }
      return {Failure::no_trust, noted};
    case SSL_R_PEER_DID_NOT_RETURN_A_CERTIFICATE:
      return {Failure::no_trust, "the peer shows no certificate"};
    case SSL_R_UNSUPPORTED_PROTOCOL:
    case SSL_R_WRONG_SSL_VERSION:
    case SSL_R_VERSION_TOO_LOW:
    case SSL_R_NO_SHARED_CIPHER:
    case SSL_R_WRONG_CIPHER_RETURNED:
    case SSL_R_UNKNOWN_CIPHER_RETURNED:
    case SSL_R_NO_SUITABLE_KEY_SHARE:
    case SSL_R_NO_SUITABLE_GROUPS:
    case SSL_R_BAD_KEY_SHARE:
    case SSL_R_UNSUPPORTED_ELLIPTIC_CURVE:
      return {Failure::versions,
              fmt::format("the peer offers other TLS ({}): expected TLS 1.3 with X25519 and "
                          "AES-128-GCM",
                          said)};
    case SSL_R_WRONG_VERSION_NUMBER:
    case SSL_R_PACKET_LENGTH_TOO_LONG:
    case SSL_R_HTTP_REQUEST:
    case SSL_R_HTTPS_PROXY_REQUEST:
    case SSL_R_BAD_RECORD_TYPE:
      return {Failure::not_tls, fmt::format("what came is no TLS ({})", said)};
    case SSL_R_DECRYPTION_FAILED_OR_BAD_RECORD_MAC:
    case SSL_R_DECRYPTION_FAILED:
      return {Failure::tampered,
              "a record was altered, left out or repeated on the way, or is not from the peer"};
    default:
      return {Failure::other, std::string(said)};
  }
}

}  // namespace muster::net
