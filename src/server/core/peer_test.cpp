#include "server/core/peer.hpp"

#include <gtest/gtest.h>

#include "base/limits.hpp"

namespace muster::server {
namespace {

const Value hello = wire::encode(wire::ClientHello{.size = 4, .host = "h", .ranks = {{1, 2}}});

Value with_rest(std::string_view rest) {
  Value bytes = hello;
  bytes.insert(bytes.end(), as_bytes(rest).begin(), as_bytes(rest).end());
  return bytes;
}

TEST(Peer, FindsAHelloInOnePieceWithoutStoringIt) {
  Peer peer("x");
  const Value bytes = with_rest("rest");
  const auto first = peer.take_first(bytes);
  EXPECT_EQ(first.state, wire::HelloState::complete);
  EXPECT_EQ(to_value(first.hello), hello);
  EXPECT_EQ(as_text(first.rest), "rest");
  EXPECT_TRUE(peer.stored().empty());
}

TEST(Peer, FindsAHelloWhereverItIsCut) {
  const Value bytes = with_rest("rest");
  for (std::size_t cut = 1; cut < hello.size(); ++cut) {
    Peer peer("x");
    EXPECT_EQ(peer.take_first(Bytes(bytes).first(cut)).state, wire::HelloState::more);
    const auto first = peer.take_first(Bytes(bytes).subspan(cut));
    ASSERT_EQ(first.state, wire::HelloState::complete) << cut;
    EXPECT_EQ(to_value(first.hello), hello);
    EXPECT_EQ(as_text(first.rest), "rest");
  }
}

TEST(Peer, TakesItByteByByte) {
  Peer peer("x");
  for (std::size_t i = 0; i + 1 < hello.size(); ++i) {
    ASSERT_EQ(peer.take_first(Bytes(hello).subspan(i, 1)).state, wire::HelloState::more);
  }
  EXPECT_EQ(peer.take_first(Bytes(hello).last(1)).state, wire::HelloState::complete);
}

TEST(Peer, StoresNoMoreThanAHelloMayHave) {
  Peer peer("x");
  const Value noise(1U << 20, std::byte{'z'});
  EXPECT_EQ(peer.take_first(Bytes(noise).first(2)).state, wire::HelloState::more);
  EXPECT_EQ(peer.take_first(noise).state, wire::HelloState::foreign);
  EXPECT_LE(peer.stored().size(), limits::hello_bytes_max);
}

TEST(Peer, SpeaksForItsRanks) {
  Peer peer("x");
  EXPECT_FALSE(peer.admitted());
  peer.admit({1, 4});
  EXPECT_TRUE(peer.admitted());
  EXPECT_TRUE(peer.speaks_for(4));
  EXPECT_FALSE(peer.speaks_for(2));
  EXPECT_FALSE(peer.is_tool());
}

}  // namespace
}  // namespace muster::server
