#include "accord/entry.hpp"

#include <gtest/gtest.h>

#include "accord/encoding.hpp"
#include "base/limits.hpp"

namespace muster::accord {
namespace {

std::uint8_t tag(Type type) {
  return static_cast<std::uint8_t>(type);
}

TEST(Entry, ValuesHaveOneForm) {
  EXPECT_TRUE(is_entry_value(tag(Type::integer), Value(8)));
  EXPECT_FALSE(is_entry_value(tag(Type::integer), Value(7)));
  EXPECT_FALSE(is_entry_value(tag(Type::integer), Value(9)));
  EXPECT_TRUE(is_entry_value(tag(Type::real), Encoder().real(0.0).take()));
  EXPECT_FALSE(is_entry_value(tag(Type::real), Encoder().real(-0.0).take()));
  EXPECT_FALSE(is_entry_value(tag(Type::real), Encoder().u64(0x7ff0000000000000).take()));
  EXPECT_FALSE(is_entry_value(tag(Type::real), Encoder().u64(0x7ff8000000000001).take()));
  EXPECT_TRUE(is_entry_value(tag(Type::boolean), Value{std::byte{1}}));
  EXPECT_FALSE(is_entry_value(tag(Type::boolean), Value{std::byte{2}}));
  EXPECT_FALSE(is_entry_value(tag(Type::boolean), Value{}));
  EXPECT_FALSE(is_entry_value(tag(Type::text), to_value("\xc0\x80")));
  EXPECT_TRUE(is_entry_value(tag(Type::blob), to_value("\xc0\x80")));
  EXPECT_TRUE(is_entry_value(tag(Type::blob), Value(limits::entry_value_bytes_max)));
  EXPECT_FALSE(is_entry_value(tag(Type::blob), Value(limits::entry_value_bytes_max + 1)));
  EXPECT_FALSE(is_entry_value(0, Value{}));
  EXPECT_FALSE(is_entry_value(6, Value{}));
}

TEST(Entry, TheDigestIsOfNameTypeValueAndEpoch) {
  const Contract::Entry entry{"ab", tag(Type::blob), Share::local, to_value("c")};
  const Digest digest = entry_digest(Epoch{}, entry);
  Epoch other;
  other.bytes[0] = std::byte{1};
  EXPECT_NE(digest, entry_digest(other, entry));
  // The lengths keep the name and the value apart.
  EXPECT_NE(digest, entry_digest(Epoch{}, {"a", tag(Type::blob), Share::local, to_value("bc")}));
  EXPECT_NE(digest, entry_digest(Epoch{}, {"ab", tag(Type::text), Share::local, to_value("c")}));
  EXPECT_EQ(digest, entry_digest(Epoch{}, {"ab", tag(Type::blob), Share::open, to_value("c")}));
}

TEST(Entry, ShowsValuesShortAndOnOneLine) {
  EXPECT_EQ(shown_value(tag(Type::integer), Encoder().u64(~std::uint64_t{0}).take()), "-1");
  EXPECT_EQ(shown_value(tag(Type::real), Encoder().real(60).take()), "60.0");
  EXPECT_EQ(shown_value(tag(Type::boolean), Value{std::byte{1}}), "true");
  EXPECT_EQ(shown_value(tag(Type::text), to_value("a\nb")), "'a\\x0ab'");
  EXPECT_EQ(shown_value(tag(Type::blob), Value{}), "nothing (0 bytes)");
  EXPECT_EQ(shown_value(tag(Type::blob), to_value("\xab\xcd")), "abcd (2 bytes)");
  EXPECT_EQ(shown_value(tag(Type::blob), Value(17)),
            "00000000000000000000000000000000... (17 bytes)");
  EXPECT_LT(shown_value(tag(Type::text), Value(4096)).size(), 300U);
}

}  // namespace
}  // namespace muster::accord
