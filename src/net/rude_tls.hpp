/// \file
/// For tests: one end of a TLS link that also says what a Tls never says.
#pragma once

#include <memory>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <utility>

#include "net/tls.hpp"

namespace muster::net {

/// Resource.
class RudeTls {
 public:
  explicit RudeTls(std::shared_ptr<const TlsContext> context) : tls(watched(std::move(context))) {
    tls.shake();
    ssl_ = beneath;
  }

  /// Once the link is open. OpenSSL answers when it next writes, or is asked again.
  void ask_for_key_change() {
    SSL_key_update(ssl_, SSL_KEY_UPDATE_REQUESTED);
    SSL_do_handshake(ssl_);
    ERR_clear_error();
  }
  void say_goodbye() {
    SSL_shutdown(ssl_);
    ERR_clear_error();
  }

  Tls tls;

 private:
  static std::shared_ptr<const TlsContext> watched(std::shared_ptr<const TlsContext> context) {
    SSL_CTX_set_info_callback(context->get(),
                              [](const SSL* ssl, int, int) { beneath = const_cast<SSL*>(ssl); });
    return context;
  }

  static inline thread_local SSL* beneath = nullptr;  ///< the last that did anything
  SSL* ssl_ = nullptr;
};

}  // namespace muster::net
