#include "server/driver/tls_front.hpp"

#include <utility>

namespace muster::server {
namespace {

using State = net::Tls::State;

constexpr std::size_t slab_bytes = 16U << 10;

}  // namespace

TlsFront::TlsFront(Host& host, std::shared_ptr<const net::TlsContext> context)
    : host_(host), context_(std::move(context)), slab_(context_ ? slab_bytes : 0) {}

void TlsFront::arrived(Connection& connection, Bytes bytes) {
  connection.shield()->begun() ? unseal(connection, bytes) : listen(connection, bytes);
}

void TlsFront::listen(Connection& connection, Bytes bytes) {
  const LinkId link = connection.id();
  Shield& shield = *connection.shield();
  if (shield.silent()) {
    if (bytes.front() != net::tls_first_byte) {
      connection.lower_shield();
      return host_.received(link, bytes);
    }
    host_.happened(Spoke{link});
  }
  switch (shield.keep(bytes)) {
    case net::TlsHello::more:
      return;
    case net::TlsHello::broken:
      return host_.turn_away(link, "what it sent is no TLS hello");
    case net::TlsHello::complete:
      handshakes_.wait(link, shield.source());
  }
}

void TlsFront::go_on() {
  while (const auto link = handshakes_.next(Clock::now())) {
    Connection* connection = host_.connection(*link);
    if (connection == nullptr) {
      handshakes_.over(*link);
      continue;
    }
    const Value first = connection->shield()->begin();
    unseal(*connection, first);
  }
}

void TlsFront::unseal(Connection& connection, Bytes bytes) {
  const LinkId link = connection.id();
  net::Tls& tls = connection.shield()->tls();
  tls.feed(bytes);
  if (tls.state() == State::shaking) {
    tls.shake();
    host_.flush_later(link);
    if (tls.state() == State::failed) {
      return host_.turn_away(link, "TLS handshake failed: " + tls.why());
    }
    if (tls.state() == State::open) {
      handshakes_.over(link);
      host_.happened(Vouched{link});
    }
  }
  while (const std::size_t count = tls.read(slab_)) {
    host_.received(link, Bytes(slab_).first(count));
    if (host_.connection(link) == nullptr) return;  // and its TLS may be gone
  }
  if (!tls.outgoing().empty()) host_.flush_later(link);  // an answer of TLS's own
  if (tls.state() == State::ended) return host_.drop(link, "connection closed");
  if (tls.state() != State::failed) return;
  const std::string why = "TLS failed: " + tls.why();
  connection.flush();  // the alert, if it can be written
  host_.drop(link, why);
}

void TlsFront::expire(TimePoint now) {
  while (const auto link = handshakes_.slow(now)) {
    handshakes_.over(*link);
    if (host_.connection(*link) == nullptr) continue;
    host_.turn_away(*link, "TLS handshake failed: it does not go on, and others wait");
  }
}

}  // namespace muster::server
