#include "base/keyed.hpp"

#include <gtest/gtest.h>

namespace muster {
namespace {

// RFC 4231, test cases 1 and 2.
TEST(Hmac, MatchesTheRfc) {
  const Value key(20, std::byte{0x0b});
  EXPECT_EQ(to_hex(hmac_sha256(key, {as_bytes("Hi There")})),
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
  EXPECT_EQ(to_hex(hmac_sha256(as_bytes("Jefe"), {as_bytes("what do ya want for nothing?")})),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
}

TEST(Hmac, PartsAreOneMessage) {
  EXPECT_EQ(hmac_sha256(as_bytes("k"), {as_bytes("ab"), as_bytes("c")}),
            hmac_sha256(as_bytes("k"), {as_bytes("abc")}));
  EXPECT_NE(hmac_sha256(as_bytes("k"), {as_bytes("abc")}),
            hmac_sha256(as_bytes("l"), {as_bytes("abc")}));
}

Value counting(int first, int count) {
  Value bytes;
  for (int i = 0; i < count; ++i) bytes.push_back(static_cast<std::byte>(first + i));
  return bytes;
}

// RFC 5869, test cases 1 and 3: the first 32 bytes.
TEST(Hkdf, MatchesTheRfc) {
  const Value secret(22, std::byte{0x0b});
  const Value info = counting(0xf0, 10);
  EXPECT_EQ(to_hex(hkdf_sha256(secret, counting(0, 13), as_text(info))),
            "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf");
  EXPECT_EQ(to_hex(hkdf_sha256(secret, {}, "")),
            "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d");
}

TEST(Keyed, ComparesAll) {
  EXPECT_TRUE(equal_in_constant_time(as_bytes("abc"), as_bytes("abc")));
  EXPECT_FALSE(equal_in_constant_time(as_bytes("abc"), as_bytes("abd")));
  EXPECT_FALSE(equal_in_constant_time(as_bytes("abc"), as_bytes("ab")));
}

TEST(Keyed, WipesAll) {
  Value bytes = to_value("secret");
  wipe(bytes);
  EXPECT_EQ(bytes, Value(6));
  wipe({});
}

}  // namespace
}  // namespace muster
