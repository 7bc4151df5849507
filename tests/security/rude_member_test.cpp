// A rank that is in, and whose TLS link then ends in some way of TLS's own, is lost like any other.
#include <array>
#include <gmock/gmock.h>
#include <string>
#include <utility>

#include "net/rude_tls.hpp"
#include "protected_job.hpp"
#include "support/raw_link.hpp"
#include "wire/hello.hpp"

namespace muster::security_test {
namespace {

using testing::HasSubstr;
using testing::Not;
using State = net::Tls::State;

class RudeMember : public testing::Test {
 protected:
  void SetUp() override {
    while (rude_.tls.state() == State::shaking) {
      send();
      ASSERT_TRUE(hear()) << "no handshake";
      rude_.tls.shake();
    }
    wire::ClientHello hello;
    hello.size = 2;
    hello.left_ms = 60'000;
    hello.host = "here";
    hello.pid = 1;
    hello.ranks = {{.first = 0, .count = 1}};
    rude_.tls.write(wire::encode(hello));
    send();
    ASSERT_TRUE(hear());
    std::array<std::byte, 4096> welcome;
    while (rude_.tls.read(welcome) != 0) {
    }
    ASSERT_EQ(served_.status().joined, 1U);
  }

  void send() { link_.send(std::exchange(rude_.tls.outgoing(), {})); }
  /// Feeds one record; false if none comes.
  bool hear() {
    record_ = link_.receive(5);
    if (record_.size() < 5) return false;
    const auto size = static_cast<std::size_t>(static_cast<unsigned char>(record_[3])) << 8 |
                      static_cast<unsigned char>(record_[4]);
    record_ += link_.receive(size);
    rude_.tls.feed(as_bytes(record_));
    return true;
  }
  void expect_lost(const std::string& why) {
    EXPECT_TRUE(served_.logs("rank 0 (host here, pid 1) is lost: " + why)) << served_.log();
    EXPECT_THAT(served_.log(), Not(HasSubstr("TLS handshake")));
  }

  const Secret secret_ = Secret::random();
  ProtectedJob served_{by_tls(secret_)};
  support::RawLink link_{served_.url()};
  net::RudeTls rude_{net::TlsContext::make(net::TlsSide::client, secret_, "demo").value()};
  std::string record_;
};

TEST_F(RudeMember, WhoSaysGoodbyeIsLost) {
  rude_.say_goodbye();
  send();
  expect_lost("connection closed");
}

TEST_F(RudeMember, WhoseRecordIsAlteredIsLost) {
  rude_.tls.write(as_bytes("text"));
  rude_.tls.outgoing().back() ^= std::byte{1};
  send();
  expect_lost("TLS failed: a record was altered");
}

TEST_F(RudeMember, AnAnswerToAKeyChangeLeavesByItself) {
  rude_.ask_for_key_change();
  rude_.ask_for_key_change();
  send();
  EXPECT_TRUE(hear());
  EXPECT_FALSE(served_.status().failure) << "the answer waits for other things to write";
}

TEST_F(RudeMember, WhoAsksForKeyChangesForeverIsLost) {
  // Each is answered with a record that is longer than 16 bytes.
  for (std::size_t i = 0; i < net::Tls::answer_bytes_max / 16; ++i) rude_.ask_for_key_change();
  send();
  expect_lost("TLS failed: the peer asks for too many key changes");
}

}  // namespace
}  // namespace muster::security_test
