// A peer that asks for new keys is answered, and cannot make the answers pile up.
#include <array>
#include <gmock/gmock.h>
#include <string>

#include "net/rude_tls.hpp"

namespace muster::net {
namespace {

using State = Tls::State;

std::shared_ptr<const TlsContext> context(TlsSide side) {
  return TlsContext::make(side, Secret::from_bytes(Value(32, std::byte{7})).value(), "demo")
      .value();
}

/// What `to` reads of all that `from` has to send.
std::string carry(RudeTls& from, RudeTls& to) {
  const Value sealed = std::exchange(from.tls.outgoing(), {});
  std::string plain;
  std::array<std::byte, 1000> room;
  to.tls.feed(sealed);
  if (to.tls.state() == State::shaking) to.tls.shake();
  while (const std::size_t count = to.tls.read(room)) plain += as_text(Bytes(room).first(count));
  return plain;
}

/// Asked by either end of the other.
class TlsKeyChanges : public testing::TestWithParam<TlsSide> {
 protected:
  TlsKeyChanges() {
    while (!client_.tls.outgoing().empty() || !server_.tls.outgoing().empty()) {
      carry(client_, server_);
      carry(server_, client_);
    }
  }
  void ask() {
    asks_.ask_for_key_change();
    carry(asks_, asked_);
  }

  RudeTls client_{context(TlsSide::client)};
  RudeTls server_{context(TlsSide::server)};
  RudeTls& asks_ = GetParam() == TlsSide::client ? client_ : server_;
  RudeTls& asked_ = GetParam() == TlsSide::client ? server_ : client_;
};

TEST_P(TlsKeyChanges, AreAnsweredForeverWhileDataFlows) {
  std::size_t bytes = 0;
  while (bytes < 2 * Tls::answer_bytes_max) {
    ask();
    ask();
    ASSERT_FALSE(asked_.tls.outgoing().empty());
    bytes += asked_.tls.outgoing().size();
    asked_.tls.write(as_bytes("x"));
    ASSERT_EQ(carry(asked_, asks_), "x") << asks_.tls.why();
  }
  EXPECT_EQ(asked_.tls.state(), State::open) << asked_.tls.why();
}

TEST_P(TlsKeyChanges, TooManyEndTheLink) {
  ask();
  ask();
  const std::size_t one = asked_.tls.outgoing().size();
  ASSERT_GT(one, 0U);
  for (std::size_t asked = 1; asked < Tls::answer_bytes_max / one; ++asked) ask();
  EXPECT_EQ(asked_.tls.state(), State::open) << asked_.tls.why();
  ask();
  EXPECT_EQ(asked_.tls.state(), State::failed);
  EXPECT_EQ(asked_.tls.why(), "the peer asks for too many key changes");
  EXPECT_TRUE(asked_.tls.shaken());
  const std::size_t waiting = asked_.tls.outgoing().size();
  EXPECT_LE(waiting, Tls::answer_bytes_max + one);
  ask();
  EXPECT_EQ(asked_.tls.outgoing().size(), waiting);
}

INSTANTIATE_TEST_SUITE_P(Sides, TlsKeyChanges, testing::Values(TlsSide::client, TlsSide::server),
                         [](const auto& side) {
                           return side.param == TlsSide::client ? "ClientAsks" : "ServerAsks";
                         });

}  // namespace
}  // namespace muster::net
