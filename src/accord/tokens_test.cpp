#include "accord/tokens.hpp"

#include <gtest/gtest.h>
#include <set>

namespace muster::accord {
namespace {

TEST(Tokens, EveryPartOfTheIdentityCounts) {
  Epoch other;
  other.bytes[0] = std::byte{1};
  const std::set<Digest> tokens{
      agreement_token(Epoch{}, {{1}, 0}),
      agreement_token(other, {{1}, 0}),
      agreement_token(Epoch{}, {{2}, 0}),
      agreement_token(Epoch{}, {{1}, 1}),
  };
  EXPECT_EQ(tokens.size(), 4U);
}

TEST(Tokens, ARequestIsBoundToItsNumberAndFingerprintToo) {
  Digest other{};
  other[31] = std::byte{1};
  const Identity identity{{1}, 0};
  const std::set<Digest> tokens{
      request_token(Epoch{}, identity, 1, Digest{}).value(),
      request_token(Epoch{}, identity, 2, Digest{}).value(),
      request_token(Epoch{}, identity, 1, other).value(),
      request_token(Epoch{}, {{1}, 1}, 1, Digest{}).value(),
      request_token(Epoch{}, {{2}, 0}, 1, Digest{}).value(),
      agreement_token(Epoch{}, identity),
  };
  EXPECT_EQ(tokens.size(), 6U);
}

TEST(Tokens, GenerationsAreBounded) {
  constexpr std::uint64_t end = std::uint64_t{1} << 63;
  EXPECT_FALSE(check_generation(0).ok());
  EXPECT_TRUE(check_generation(1).ok());
  EXPECT_TRUE(check_generation(end - 1).ok());
  EXPECT_FALSE(check_generation(end).ok());
  const auto refused = request_token(Epoch{}, {{1}, 0}, 0, Digest{});
  EXPECT_EQ(refused.error().code, Code::invalid_argument);
  EXPECT_EQ(refused.error().what,
            "generation 0 is out of range; expected 1 to 9223372036854775807");
}

}  // namespace
}  // namespace muster::accord
