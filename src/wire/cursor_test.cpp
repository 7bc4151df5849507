#include "wire/cursor.hpp"

#include <gtest/gtest.h>
#include <string>

#include "wire/exact_message.hpp"

namespace muster::wire {
namespace {

TEST(Cursor, WritesLittleEndian) {
  Value out;
  Writer writer(out);
  writer.u8(0x01);
  writer.u16(0x0302);
  writer.u32(0x07060504);
  writer.u64(0x0f0e0d0c0b0a0908);
  writer.i32(-2);
  writer.i64(-3);
  writer.boolean(true);
  writer.text("hi");
  writer.value(as_bytes("abc"));
  EXPECT_EQ(to_hex(out),
            "01"
            "0203"
            "04050607"
            "08090a0b0c0d0e0f"
            "feffffff"
            "fdffffffffffffff"
            "01"
            "02006869"
            "03000000616263");
}

TEST(Cursor, ReadsWhatWasWritten) {
  Value out;
  Writer writer(out);
  writer.u8(200);
  writer.u16(60000);
  writer.u32(4000000000U);
  writer.u64(~0ULL);
  writer.i32(INT32_MIN);
  writer.i64(INT64_MIN);
  writer.boolean(false);
  writer.text("");
  writer.text(std::string("a\0b", 3));
  writer.value({});
  writer.bytes(as_bytes("tail"));

  Reader reader(out);
  EXPECT_EQ(reader.u8(), 200);
  EXPECT_EQ(reader.u16(), 60000);
  EXPECT_EQ(reader.u32(), 4000000000U);
  EXPECT_EQ(reader.u64(), ~0ULL);
  EXPECT_EQ(reader.i32(), INT32_MIN);
  EXPECT_EQ(reader.i64(), INT64_MIN);
  EXPECT_FALSE(reader.boolean());
  EXPECT_EQ(reader.text(), "");
  EXPECT_EQ(reader.text(), std::string("a\0b", 3));
  EXPECT_TRUE(reader.value().empty());
  EXPECT_FALSE(reader.done());
  EXPECT_EQ(as_text(reader.rest()), "tail");
  EXPECT_TRUE(reader.done());
}

TEST(Cursor, AfterReadingPastTheEndAllIsEmpty) {
  const Value three = from_spaced_hex("01 02 03");
  Reader reader(three);
  EXPECT_EQ(reader.u32(), 0U);
  EXPECT_FALSE(reader.ok());
  EXPECT_EQ(reader.left(), 0U);
  EXPECT_EQ(reader.u8(), 0) << "what is left may not be read as something else";
  EXPECT_EQ(reader.text(), "");
  EXPECT_TRUE(reader.rest().empty());
  EXPECT_FALSE(reader.done());
}

TEST(Cursor, ALengthThatLiesReadsNothing) {
  const Value text_lie = from_spaced_hex("ffff 61");
  Reader text(text_lie);
  EXPECT_EQ(text.text(), "");
  EXPECT_FALSE(text.ok());
  const Value value_lie = from_spaced_hex("ffffffff 61");
  Reader value(value_lie);
  EXPECT_TRUE(value.value().empty());
  EXPECT_FALSE(value.ok());
}

TEST(Cursor, ABooleanIsZeroOrOne) {
  const Value bytes = from_spaced_hex("00 01 02");
  Reader reader(bytes);
  EXPECT_FALSE(reader.boolean());
  EXPECT_TRUE(reader.boolean());
  EXPECT_TRUE(reader.ok());
  reader.boolean();
  EXPECT_FALSE(reader.ok());
}

TEST(Cursor, IntegersTogetherAreTheSameBytes) {
  Value apart;
  Writer one(apart);
  one.u8(0xf1), one.u64(0x0807060504030201), one.u16(0xfffe), one.u32(0x80000000);
  Value together = to_value("kept");
  Writer(together).integers(std::uint8_t{0xf1}, std::uint64_t{0x0807060504030201},
                            std::uint16_t{0xfffe}, std::uint32_t{0x80000000});
  EXPECT_EQ(as_text(together), "kept" + std::string(as_text(apart)));
  EXPECT_EQ(apart, from_spaced_hex("f1 0102030405060708 feff 00000080"));
}

TEST(Cursor, MakingRoomAgainAndAgainStillDoubles) {
  Value out;
  Writer writer(out);
  std::size_t moves = 0;
  for (int i = 0; i < 10'000; ++i) {
    const std::byte* before = out.data();
    writer.room(8);
    writer.u64(1);
    if (out.data() != before) ++moves;
  }
  EXPECT_LE(moves, 20U);
}

TEST(Cursor, CutsATextThatItsLengthCannotSay) {
  Value out;
  Writer(out).text(std::string(65535, 'x'));
  EXPECT_EQ(out.size(), 2U + 65535);
  out.clear();
  Writer(out).text(std::string(65536, 'x'));
  EXPECT_EQ(out.size(), 2U + 65535);
  Reader reader(out);
  EXPECT_EQ(reader.text().size(), 65535U);
  EXPECT_TRUE(reader.done());
}

}  // namespace
}  // namespace muster::wire
