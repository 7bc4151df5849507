/// \file
/// TLS on one connection: its first bytes, its handshake, what is sealed and not yet written.
#pragma once

#include <memory>
#include <string>
#include <sys/uio.h>

#include <muster/bytes.hpp>

#include "net/tls.hpp"
#include "net/tls_hello.hpp"
#include "server/driver/outbox.hpp"

namespace muster::server {

/// Resource; the loop's thread.
class Shield {
 public:
  /// `source`: the peer's host.
  Shield(std::shared_ptr<const net::TlsContext> context, std::string source)
      : context_(std::move(context)), source_(std::move(source)) {}

  const std::string& source() const { return source_; }

  /// Nothing has come yet.
  bool silent() const { return !tls_ && first_.empty(); }
  bool begun() const { return tls_ != nullptr; }
  /// Its handshake was done, whatever came of it since.
  bool shaken() const { return tls_ && tls_->shaken(); }
  bool open() const { return tls_ && tls_->state() == net::Tls::State::open; }

  /// Before begin(): keeps what has come, and says how far its first message is; more behind a
  /// complete one is `broken`.
  net::TlsHello keep(Bytes bytes);
  /// Makes what a handshake needs; returns what was kept.
  Value begin();
  /// After begin().
  net::Tls& tls() { return *tls_; }

  /// Whether all that can be written is: nothing of `outbox` can before the handshake is done.
  bool written(const Outbox& outbox) const;
  /// The next bytes to write, for which some of `outbox` is sealed; returns how many slices.
  std::size_t slices(Outbox& outbox, Outbox::Slices& slices);
  /// `count` bytes have been written.
  void consume(std::size_t count);

 private:
  void seal(Outbox& outbox);

  std::shared_ptr<const net::TlsContext> context_;
  const std::string source_;
  Value first_;
  std::unique_ptr<net::Tls> tls_;
  Value sealed_;
  std::size_t written_ = 0;  ///< of sealed_
};

}  // namespace muster::server
