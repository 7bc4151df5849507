#include <gtest/gtest.h>
#include <string>

#include <muster/digest.hpp>

namespace muster {
namespace {

std::string hex_of(std::string_view text) {
  return to_hex(sha256(as_bytes(text)));
}

// The examples of FIPS 180-4's companion, "SHA-256", and of NIST's byte-oriented test vectors.
TEST(Sha256, KnownAnswers) {
  EXPECT_EQ(hex_of(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(hex_of("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(hex_of("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(hex_of(std::string(1'000'000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
  EXPECT_EQ(hex_of("\xbd"), "68325720aabd7c82f30f554b313d0570c95accbb7dc4b5aae11204c08ffe732b");
}

TEST(Sha256, ZeroBytesCount) {
  EXPECT_NE(sha256(as_bytes(std::string(55, '\0'))), sha256(as_bytes(std::string(56, '\0'))));
  EXPECT_EQ(hex_of(std::string(64, '\0')),
            "f5a5fd42d16a20302798ef6ed309979b43003d2320d9f0e8ea9831a92759fb4b");
}

TEST(ToHex, TwoLowerCaseDigitsAByte) {
  EXPECT_EQ(to_hex({}), "");
  EXPECT_EQ(to_hex(as_bytes(std::string_view("\x00\x0f\xa0\xff", 4))), "000fa0ff");
}

}  // namespace
}  // namespace muster
