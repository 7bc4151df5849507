/// \file
/// TLS as a filter: bytes in, bytes out, no socket inside.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include <muster/bytes.hpp>

#include "base/limits.hpp"
#include "net/tls_context.hpp"

struct bio_st;
struct ssl_st;

namespace muster::net {

/// Resource; one thread at a time. One link's TLS. What read() and write() have for the peer piles
/// up in outgoing(), also when they fail: an alert that says why.
///
/// It does not say goodbye (close_notify): Muster's frames say where they end, and a link that ends
/// is a loss, whoever ended it.
class Tls {
 public:
  /// So much is answered to a peer that asks for key changes before something is written to it: an
  /// honest one asks for none, and one that does not read makes the answers pile up. More fails.
  static constexpr std::size_t answer_bytes_max = 64U << 10;

  enum class State : std::uint8_t {
    shaking,  ///< the handshake goes on
    open,
    ended,   ///< the peer has said goodbye
    failed,  ///< failure() says why; nothing goes on
  };
  /// Why it failed, as far as it matters what is to be done.
  enum class Failure : std::uint8_t {
    other,
    not_tls,   ///< what came is no TLS
    no_key,    ///< the peer does not hold the secret, or says so of us
    no_trust,  ///< the peer's certificate does not pass, or ours not with the peer
    versions,  ///< no version, group or cipher in common
    tampered,  ///< a record does not come from the peer, or is not the next one
  };

  explicit Tls(std::shared_ptr<const TlsContext> context,
               std::uint64_t records_a_key_max = limits::tls_records_a_key_max);
  ~Tls();
  Tls(const Tls&) = delete;

  State state() const { return state_; }
  /// The handshake was done, whatever came of the link since.
  bool shaken() const { return shaken_; }
  Failure failure() const { return failure_; }
  /// In words; empty unless failed.
  const std::string& why() const { return why_; }

  /// `sealed` has come from the peer. Borrowed until shake() does not open it, or read() returns 0;
  /// not again before that.
  void feed(Bytes sealed) { incoming_ = sealed; }
  /// While shaking: goes on with the handshake, which a client begins.
  void shake();
  /// The next bytes of the peer, or 0: no more in what was fed, or not open any more.
  std::size_t read(std::span<std::byte> into);
  /// Seals `plain`; only while open.
  void write(Bytes plain);
  /// What is to be sent to the peer; whoever sends it empties it.
  Value& outgoing() { return outgoing_; }

  /// Said by the check of the peer's certificate, before it fails.
  void note(std::string trouble) { trouble_ = std::move(trouble); }
  const TlsContext& context() const { return *context_; }

 private:
  struct Pipe;  ///< the BIO's functions
  void fail(int ssl_error);
  void fail(Failure failure, std::string why);

  const std::shared_ptr<const TlsContext> context_;
  const std::uint64_t records_a_key_max_;
  std::unique_ptr<ssl_st, void (*)(ssl_st*)> ssl_;
  State state_ = State::shaking;
  bool shaken_ = false;
  Failure failure_ = Failure::other;
  std::uint64_t records_ = 0;     ///< sealed under the current key, at most
  std::size_t answer_bytes_ = 0;  ///< of TLS's own, since the last write
  Bytes incoming_;
  Value outgoing_;
  std::string trouble_;
  std::string why_;
};

}  // namespace muster::net
