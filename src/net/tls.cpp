#include "net/tls.hpp"

#include <algorithm>
#include <cstring>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <utility>

#include "base/assert.hpp"
#include "net/tls_errors.hpp"

namespace muster::net {
namespace {

/// What OpenSSL says of a failure is only reliable if no error stands from before, maybe of other
/// code in this thread. Looking first is cheap; clearing costs a tenth of a small record.
void clear_errors() {
  if (ERR_peek_error() != 0) ERR_clear_error();
}

}  // namespace

/// Between OpenSSL and a Tls: reads what was fed, writes to what is outgoing. OpenSSL's own memory
/// BIOs would copy once more, and keep the room of the largest record.
struct Tls::Pipe {
  static Tls& tls(BIO* bio) { return *static_cast<Tls*>(BIO_get_data(bio)); }

  static int read(BIO* bio, char* into, std::size_t room, std::size_t* count) {
    Bytes& incoming = tls(bio).incoming_;
    BIO_clear_retry_flags(bio);
    *count = std::min(room, incoming.size());
    if (*count == 0) {
      BIO_set_retry_read(bio);
      return 0;
    }
    std::memcpy(into, incoming.data(), *count);
    incoming = incoming.subspan(*count);
    return 1;
  }

  static int write(BIO* bio, const char* from, std::size_t size, std::size_t* count) {
    Value& outgoing = tls(bio).outgoing_;
    const auto* bytes = reinterpret_cast<const std::byte*>(from);
    outgoing.insert(outgoing.end(), bytes, bytes + size);
    *count = size;
    return 1;
  }

  static long control(BIO*, int command, long, void*) { return command == BIO_CTRL_FLUSH ? 1 : 0; }

  static int create(BIO* bio) {
    BIO_set_init(bio, 1);
    return 1;
  }

  static const BIO_METHOD* method() {
    // As long as the process: threads may outlive main.
    static BIO_METHOD* made = [] {
      BIO_METHOD* method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "muster");
      MUSTER_ASSERT(method != nullptr);
      BIO_meth_set_read_ex(method, read);
      BIO_meth_set_write_ex(method, write);
      BIO_meth_set_ctrl(method, control);
      BIO_meth_set_create(method, create);
      return method;
    }();
    return made;
  }
};

Tls::Tls(std::shared_ptr<const TlsContext> context, std::uint64_t records_a_key_max)
    : context_(std::move(context)),
      records_a_key_max_(records_a_key_max),
      ssl_(SSL_new(context_->get()), SSL_free) {
  BIO* bio = BIO_new(Pipe::method());
  MUSTER_ASSERT(ssl_ && bio != nullptr);
  BIO_set_data(bio, this);
  SSL_set_bio(ssl_.get(), bio, bio);
  SSL_set_app_data(ssl_.get(), this);
  if (context_->side() == TlsSide::server) {
    SSL_set_accept_state(ssl_.get());
  } else {
    SSL_set_connect_state(ssl_.get());
  }
}

Tls::~Tls() = default;

void Tls::shake() {
  clear_errors();
  const int done = SSL_do_handshake(ssl_.get());
  if (done != 1) return fail(SSL_get_error(ssl_.get(), done));
  // A key is of use only if it was used. Who does without it has to show a certificate, and none is
  // trusted; this does not lean on that.
  if (!context_->by_certificates() && SSL_session_reused(ssl_.get()) != 1) {
    return fail(Failure::no_key, "the handshake was done without the job's secret");
  }
  state_ = State::open;
  shaken_ = true;
}

std::size_t Tls::read(std::span<std::byte> into) {
  if (state_ != State::open) return 0;
  // A call that finds nothing costs OpenSSL a buffer of 16 KiB, which it takes and gives back.
  if (incoming_.empty() && SSL_has_pending(ssl_.get()) == 0) return 0;
  std::size_t count = 0;
  const std::size_t before = outgoing_.size();
  clear_errors();
  const int done = SSL_read_ex(ssl_.get(), into.data(), into.size(), &count);
  answer_bytes_ += outgoing_.size() - before;
  if (answer_bytes_ > answer_bytes_max) {
    fail(Failure::other, "the peer asks for too many key changes");
    return 0;
  }
  if (done == 1) return count;
  fail(SSL_get_error(ssl_.get(), done));
  return 0;
}

void Tls::write(Bytes plain) {
  if (state_ != State::open || plain.empty()) return;
  records_ += plain.size() / SSL3_RT_MAX_PLAIN_LENGTH + 1;
  if (records_ > records_a_key_max_) {
    SSL_key_update(ssl_.get(), SSL_KEY_UPDATE_NOT_REQUESTED);
    records_ = 0;
  }
  std::size_t count = 0;
  clear_errors();
  answer_bytes_ = 0;
  const int done = SSL_write_ex(ssl_.get(), plain.data(), plain.size(), &count);
  if (done != 1) fail(SSL_get_error(ssl_.get(), done));
}

void Tls::fail(int ssl_error) {
  if (ssl_error == SSL_ERROR_WANT_READ) return;
  if (ssl_error == SSL_ERROR_ZERO_RETURN) {
    incoming_ = {};
    state_ = State::ended;
    return;
  }
  TlsTrouble trouble = last_tls_trouble(*context_, trouble_);
  fail(trouble.failure, std::move(trouble.text));
}

void Tls::fail(Failure failure, std::string why) {
  incoming_ = {};
  failure_ = failure;
  why_ = std::move(why);
  state_ = State::failed;
}

}  // namespace muster::net
