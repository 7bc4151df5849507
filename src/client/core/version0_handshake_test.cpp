#include "client/core/version0_handshake.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <muster/digest.hpp>

namespace muster::client {
namespace {

using State = Handshake::State;
using testing::HasSubstr;

const Value admission{std::byte{0}, std::byte{0}};

TEST(Version0Handshake, SaysWhatTheReferenceSays) {
  const Version0Handshake handshake({.rank = 1});
  EXPECT_EQ(to_hex(handshake.hello()), "cc0a0000000000000100000000000000");
}

TEST(Version0Handshake, IsAdmittedByTwoZeros) {
  Version0Handshake handshake({});
  Value bytes = admission;
  bytes.push_back(std::byte{7});  // the first answer, behind it
  std::size_t used = 0;
  EXPECT_EQ(handshake.feed(bytes, used), State::welcomed);
  EXPECT_EQ(used, 2U);
  EXPECT_EQ(handshake.session().rank, no_rank);
}

TEST(Version0Handshake, AlsoInPieces) {
  Version0Handshake handshake({});
  std::size_t used = 0;
  EXPECT_EQ(handshake.feed(Bytes(admission).first(1), used), State::more);
  EXPECT_EQ(used, 1U);
  EXPECT_EQ(handshake.feed(Bytes(admission).subspan(1), used), State::welcomed);
  EXPECT_EQ(used, 1U);
}

TEST(Version0Handshake, AnythingElseIsNoServerOfThisVersion) {
  Version0Handshake handshake({});
  std::size_t used = 0;
  EXPECT_EQ(handshake.feed(as_bytes("HTTP/1.1 400"), used), State::failed);
  EXPECT_EQ(handshake.error().code, Code::protocol);
  EXPECT_EQ(handshake.error().phase, Phase::hello);
  EXPECT_THAT(handshake.error().what, HasSubstr("'HT'"));
}

}  // namespace
}  // namespace muster::client
