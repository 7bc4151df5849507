// OpenSSL is told what its random numbers are in a way for which there is no newer one as short.
#define OPENSSL_SUPPRESS_DEPRECATED
#include "fuzz/tls_plant.hpp"

#include <algorithm>
#include <array>
#include <openssl/rand.h>
#include <utility>

#include "base/assert.hpp"

namespace muster::fuzz {
namespace {

using State = net::Tls::State;

/// More is not on its way at a time, nor remembered.
constexpr std::size_t way_bytes_max = 256U << 10;
/// What a handshake takes of a server, at most.
constexpr std::size_t handshake_bytes_max = 4096;
/// As long as no honest server finds fault with it.
constexpr unsigned key_changes_max = 500;

/// Resource. While it lives OpenSSL's random numbers are the same each time: an input is to do
/// again what it did.
class SameNumbers {
 public:
  SameNumbers() {
    state = 1;
    static constexpr RAND_METHOD method{.seed = nullptr,
                                        .bytes = fill,
                                        .cleanup = nullptr,
                                        .add = nullptr,
                                        .pseudorand = fill,
                                        .status = [] { return 1; }};
    RAND_set_rand_method(&method);
  }
  ~SameNumbers() { RAND_set_rand_method(nullptr); }
  SameNumbers(const SameNumbers&) = delete;

 private:
  static int fill(unsigned char* into, int count) {
    for (int i = 0; i < count; ++i) {
      state ^= state << 13U;
      state ^= state >> 7U;
      state ^= state << 17U;
      into[i] = static_cast<unsigned char>(state);
    }
    return 1;
  }
  static inline std::uint64_t state = 1;
};

std::shared_ptr<const net::TlsContext> context(net::TlsSide side, std::byte secret) {
  return net::TlsContext::make(side, Secret::from_bytes(Value(32, secret)).value(), "fuzz").value();
}

std::shared_ptr<const net::TlsContext> server_context() {
  static const auto made = context(net::TlsSide::server, std::byte{7});
  return made;
}

std::shared_ptr<const net::TlsContext> client_context(bool stranger) {
  static const auto ours = context(net::TlsSide::client, std::byte{7});
  static const auto other = context(net::TlsSide::client, std::byte{8});
  return stranger ? other : ours;
}

}  // namespace

std::byte Speech::at(std::size_t place) const {
  return static_cast<std::byte>(place * 131 + (place >> 8U) * 7 + sender_ * 85);
}

Value Speech::say(std::size_t count) {
  Value plain(count);
  for (std::byte& one : plain) one = at(said_++);
  return plain;
}

void Speech::hear(Bytes plain) {
  MUSTER_ASSERT(plain.size() <= said_ - heard_);
  for (const std::byte one : plain) MUSTER_ASSERT(one == at(heard_++));
}

ServerEnd::ServerEnd(bool faulty) : shield_(server_context(), "elsewhere"), faulty_(faulty) {}

void ServerEnd::receive(Bytes bytes, Speech& heard) {
  if (closed_ || bytes.empty()) return;
  if (shield_.begun()) return unseal(bytes, heard);
  // In the clear: not a matter of TLS any more.
  if (shield_.silent() && bytes.front() != net::tls_first_byte) {
    closed_ = true;
    return;
  }
  const net::TlsHello hello = shield_.keep(bytes);
  kept_bytes_ += bytes.size();
  if (hello == net::TlsHello::broken) {
    closed_ = true;
    return;
  }
  MUSTER_ASSERT(kept_bytes_ <= limits::tls_hello_bytes_max);
  if (hello == net::TlsHello::complete) unseal(shield_.begin(), heard);
}

void ServerEnd::unseal(Bytes bytes, Speech& heard) {
  net::Tls& tls = shield_.tls();
  const bool in_the_clear = tls.state() == State::shaking && bytes.front() == std::byte{0x17};
  if (faulty_ && in_the_clear && bytes.size() > 5) heard.hear(bytes.subspan(5));
  const std::size_t before = tls.outgoing().size();
  tls.feed(bytes);
  if (tls.state() == State::shaking) tls.shake();
  std::array<std::byte, 1000> slab;
  std::size_t plain_bytes = 0;
  while (const std::size_t count = tls.read(slab)) {
    heard.hear(Bytes(slab).first(count));
    plain_bytes += count;
    MUSTER_ASSERT(plain_bytes <= way_bytes_max);
  }
  answered_bytes_ += tls.outgoing().size() - before;
  // OpenSSL answers all that it is asked for in one go: it is looked at after that.
  MUSTER_ASSERT(answered_bytes_ <= net::Tls::answer_bytes_max + handshake_bytes_max + bytes.size());
  MUSTER_ASSERT((tls.state() == State::failed) == !tls.why().empty());
  MUSTER_ASSERT(tls.state() != State::open || tls.shaken());
  closed_ = tls.state() == State::ended || tls.state() == State::failed;
}

void ServerEnd::say(Bytes plain) {
  answered_bytes_ = 0;
  shield_.tls().write(plain);
}

Value ServerEnd::taken() {
  return shield_.begun() ? std::exchange(shield_.tls().outgoing(), {}) : Value();
}

/// One connection, and what is on its way.
struct TlsPlant::Link {
  Link(bool faulty, bool stranger) : server(faulty), client(client_context(stranger)) {}

  ServerEnd server;
  net::RudeTls client;
  Speech speech[2] = {Speech(by_client), Speech(by_server)};
  Value way[2];
  bool meddled_with = false;
  bool farewell = false;
  unsigned key_changes = 0;
};

TlsPlant::TlsPlant(wire::Reader input, bool faulty)
    : input_(input), faulty_(faulty), stranger_((input_.u8() & 1) != 0) {}

TlsPlant::~TlsPlant() = default;

void TlsPlant::run() {
  const SameNumbers numbers;
  link_ = std::make_unique<Link>(faulty_, stranger_);
  collect();
  for (int steps = 0; input_.left() > 0 && steps < 200; ++steps) {
    one_step();
    MUSTER_ASSERT(!stranger_ || !link_->server.open());
  }
  expect_whole();
  link_.reset();
}

void TlsPlant::one_step() {
  const unsigned what = input_.u8();
  const Sender sender = (what & 0x80) == 0 ? by_client : by_server;
  switch (what % 16) {
    case 0:
      return deliver(sender, input_.u8());
    case 1:
      return say(sender, 1 + std::size_t{input_.u8()} * 64);
    case 2:
      return ask_for_key_changes(input_.u8());
    case 3:
      link_->farewell = true;
      if (link_->client.tls.state() == State::open) link_->client.say_goodbye();
      return collect();
    case 4:
      expect_whole();
      link_ = std::make_unique<Link>(faulty_, stranger_);
      return collect();
    case 5:
    case 6:
    case 7:
    case 8:
    case 9:
    case 10:
    case 11:
      return meddle(what % 16, sender);
    default:
      return carry_all();
  }
}

/// The next bytes that are on their way; all for 0.
void TlsPlant::deliver(Sender sender, std::size_t count) {
  Value& way = link_->way[sender];
  const std::size_t size = count == 0 ? way.size() : std::min(count, way.size());
  const Value piece(way.begin(), way.begin() + static_cast<std::ptrdiff_t>(size));
  way.erase(way.begin(), way.begin() + static_cast<std::ptrdiff_t>(size));
  if (piece.empty()) return;
  if (sender == by_client) {
    link_->server.receive(piece, link_->speech[by_client]);
  } else {
    client_receives(piece);
  }
  collect();
}

void TlsPlant::carry_all() {
  for (int turns = 0; turns < 8; ++turns) {
    deliver(by_client, 0);
    deliver(by_server, 0);
  }
}

void TlsPlant::client_receives(Bytes bytes) {
  net::Tls& tls = link_->client.tls;
  tls.feed(bytes);
  if (tls.state() == State::shaking) tls.shake();
  std::array<std::byte, 1000> slab;
  while (const std::size_t count = tls.read(slab)) {
    link_->speech[by_server].hear(Bytes(slab).first(count));
  }
}

/// What both want to send is on its way.
void TlsPlant::collect() {
  send(by_client, std::exchange(link_->client.tls.outgoing(), {}));
  send(by_server, link_->server.taken());
}

void TlsPlant::send(Sender sender, Bytes bytes) {
  Value& way = link_->way[sender];
  way.insert(way.end(), bytes.begin(), bytes.end());
  if (seen_[sender].size() > way_bytes_max) return;
  seen_[sender].insert(seen_[sender].end(), bytes.begin(), bytes.end());
}

void TlsPlant::say(Sender sender, std::size_t count) {
  if (link_->way[sender].size() > way_bytes_max / 2) return;
  if (sender == by_client && link_->client.tls.state() == State::open && !link_->farewell) {
    link_->client.tls.write(link_->speech[sender].say(count));
  } else if (sender == by_server && link_->server.open()) {
    link_->server.say(link_->speech[sender].say(count));
  }
  collect();
}

void TlsPlant::ask_for_key_changes(unsigned count) {
  if (link_->way[by_client].size() > way_bytes_max / 2) return;
  for (unsigned i = 0; i < count && link_->client.tls.state() == State::open; ++i) {
    link_->client.ask_for_key_change();
    ++link_->key_changes;
  }
  collect();
}

std::size_t TlsPlant::place(const Value& way) {
  const std::size_t wanted = input_.u16();
  return way.empty() ? 0 : wanted % (way.size() + 1);
}

/// Something is done to what is on its way.
void TlsPlant::meddle(unsigned how, Sender sender) {
  Value& way = link_->way[sender];
  if (how == 10) return swap_records(way);
  if (how == 11) return replay(sender);
  const std::size_t at = place(way);
  const auto begin = way.begin() + static_cast<std::ptrdiff_t>(at);
  const std::size_t count = std::min<std::size_t>(input_.u8(), how < 8 ? way.size() - at : 255);
  const auto end = begin + static_cast<std::ptrdiff_t>(how < 8 ? count : 0);
  link_->meddled_with = true;
  if (how == 5) {
    for (auto one = begin; one != end; ++one) *one ^= std::byte{1};
  } else if (how == 6) {
    way.erase(begin, end);
  } else if (how == 7) {
    const Value again(begin, end);
    way.insert(end, again.begin(), again.end());
  } else {
    const Bytes given = input_.bytes(std::min(count, input_.left()));
    Value put;
    if (how == 9) {  // as a record, of the kind that the first byte says
      const std::byte kind = given.empty() ? std::byte{0x17} : given.front();
      put = {kind, std::byte{3}, std::byte{3}, std::byte{0}, static_cast<std::byte>(given.size())};
    }
    put.insert(put.end(), given.begin(), given.end());
    way.insert(begin, put.begin(), put.end());
  }
}

void TlsPlant::swap_records(Value& way) {
  const auto length = [&](std::size_t at) -> std::size_t {
    if (way.size() < at + 5) return 0;
    const std::size_t body =
        std::to_integer<std::size_t>(way[at + 3]) << 8U | std::to_integer<std::size_t>(way[at + 4]);
    return way.size() < at + 5 + body ? 0 : 5 + body;
  };
  const std::size_t first = length(0);
  const std::size_t second = first == 0 ? 0 : length(first);
  if (second == 0) return;
  link_->meddled_with = true;
  std::rotate(way.begin(), way.begin() + static_cast<std::ptrdiff_t>(first),
              way.begin() + static_cast<std::ptrdiff_t>(first + second));
}

/// What was seen before, of this link or another, of either side.
void TlsPlant::replay(Sender sender) {
  const Value& seen = seen_[(input_.u8() & 1) != 0 ? 1 - sender : sender];
  const std::size_t at = place(seen);
  const std::size_t count = std::min<std::size_t>(input_.u16(), seen.size() - at);
  if (link_->way[sender].size() > way_bytes_max / 2) return;
  link_->meddled_with = true;
  const auto begin = seen.begin() + static_cast<std::ptrdiff_t>(at);
  link_->way[sender].insert(link_->way[sender].end(), begin,
                            begin + static_cast<std::ptrdiff_t>(count));
}

/// Where nobody has meddled all that was said arrives, and the link stays.
void TlsPlant::expect_whole() {
  carry_all();
  const bool honest = !stranger_ && !link_->meddled_with && !link_->farewell;
  if (!honest || link_->key_changes > key_changes_max) return;
  MUSTER_ASSERT(link_->server.open());
  MUSTER_ASSERT(link_->client.tls.state() == State::open);
  MUSTER_ASSERT(link_->speech[by_client].whole() && link_->speech[by_server].whole());
}

}  // namespace muster::fuzz
