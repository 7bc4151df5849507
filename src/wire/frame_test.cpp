#include "wire/frame.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "wire/cursor.hpp"
#include "wire/exact_message.hpp"

namespace muster::wire {
namespace {

using Found = FrameReader::Found;

void append_frame(Value& out, Type type, std::uint32_t sequence, std::string_view body) {
  const std::size_t begun = begin_frame(out);
  Writer(out).bytes(as_bytes(body));
  end_frame(out, begun, type, sequence);
}

/// "type/sequence/body" of every frame that can be had now.
std::vector<std::string> take_all(FrameReader& reader) {
  std::vector<std::string> frames;
  FrameHeader header;
  Bytes body;
  while (reader.next(header, body) == Found::frame) {
    frames.push_back(std::to_string(static_cast<int>(header.type)) + "/" +
                     std::to_string(header.sequence) + "/" + std::string(as_text(body)));
  }
  return frames;
}

const std::vector<std::string> three_frames{"1/7/one", "2/8/", "16/9/a longer third body"};

Value three_frames_bytes() {
  Value bytes;
  append_frame(bytes, Type::set, 7, "one");
  append_frame(bytes, Type::get, 8, "");
  append_frame(bytes, Type::arrive, 9, "a longer third body");
  return bytes;
}

TEST(Frame, HeaderBytes) {
  std::byte raw[header_bytes];
  put_header(raw, {Type::arrive, -2, 0x01020304, 0x0a0b0c0d});
  EXPECT_EQ(to_hex(raw), "1000feff040302010d0c0b0a00000000");

  FrameHeader header;
  ASSERT_TRUE(get_header(raw, header));
  EXPECT_EQ(header.type, Type::arrive);
  EXPECT_EQ(header.result, -2);
  EXPECT_EQ(header.length, 0x01020304U);
  EXPECT_EQ(header.sequence, 0x0a0b0c0dU);

  set_sequence(raw, 5);
  EXPECT_EQ(to_hex(raw), "1000feff040302010500000000000000");
}

TEST(Frame, HeaderRefusesAReservedWordAndALengthOverTheLimit) {
  std::byte raw[header_bytes];
  FrameHeader header;
  put_header(raw, {Type::set, 0, limits::frame_body_bytes_max, 1});
  EXPECT_TRUE(get_header(raw, header));
  raw[12] = std::byte{1};
  EXPECT_FALSE(get_header(raw, header));
  put_header(raw, {Type::set, 0, limits::frame_body_bytes_max + 1, 1});
  EXPECT_FALSE(get_header(raw, header));
}

TEST(Frame, EndFillsTheHeaderIn) {
  Value out = to_value("before");
  append_frame(out, Type::add, 3, "xy");
  EXPECT_EQ(to_hex(out), to_hex(as_bytes("before")) + "03000000020000000300000000000000" + "7879");
}

TEST(FrameDeathTest, ABodyOverTheLimitAsserts) {
  Value out(header_bytes + limits::frame_body_bytes_max);
  end_frame(out, 0, Type::set, 1);
  out.push_back(std::byte{0});
  EXPECT_DEATH(end_frame(out, 0, Type::set, 1), "frame_body_bytes_max");
}

TEST(FrameReader, HandsCompleteFramesOutInPlace) {
  const Value bytes = three_frames_bytes();
  FrameReader reader;
  reader.feed(bytes);
  FrameHeader header;
  Bytes body;
  ASSERT_EQ(reader.next(header, body), Found::frame);
  EXPECT_EQ(body.data(), bytes.data() + header_bytes);
  ASSERT_EQ(reader.next(header, body), Found::frame);
  ASSERT_EQ(reader.next(header, body), Found::frame);
  EXPECT_EQ(body.data() + body.size(), bytes.data() + bytes.size());
  EXPECT_EQ(reader.next(header, body), Found::more);
  EXPECT_EQ(reader.stored(), 0U);
}

TEST(FrameReader, ByteByByte) {
  const Value bytes = three_frames_bytes();
  FrameReader reader;
  std::vector<std::string> frames;
  for (const std::byte byte : bytes) {
    const Value one{byte};  // gone before the next, as a driver's buffer would be
    reader.feed(one);
    for (auto& frame : take_all(reader)) frames.push_back(std::move(frame));
  }
  EXPECT_EQ(frames, three_frames);
}

TEST(FrameReader, EverySplitInTwoAndInThree) {
  const Value bytes = three_frames_bytes();
  for (std::size_t first = 0; first <= bytes.size(); ++first) {
    for (std::size_t second = first; second <= bytes.size(); ++second) {
      FrameReader reader;
      std::vector<std::string> frames;
      const auto feed = [&](std::size_t from, std::size_t to) {
        const Value piece(bytes.begin() + static_cast<std::ptrdiff_t>(from),
                          bytes.begin() + static_cast<std::ptrdiff_t>(to));
        reader.feed(piece);
        for (auto& frame : take_all(reader)) frames.push_back(std::move(frame));
      };
      feed(0, first);
      feed(first, second);
      feed(second, bytes.size());
      ASSERT_EQ(frames, three_frames) << "cut at " << first << " and " << second;
      ASSERT_EQ(reader.stored(), 0U);
    }
  }
}

TEST(FrameReader, AStoredFrameIsKeptApartFromWhatFollowsIt) {
  const Value bytes = three_frames_bytes();
  FrameReader reader;
  reader.feed(Bytes(bytes).first(17));
  FrameHeader header;
  Bytes body;
  EXPECT_EQ(reader.next(header, body), Found::more);
  EXPECT_EQ(reader.stored(), 17U);
  reader.feed(Bytes(bytes).subspan(17));
  ASSERT_EQ(reader.next(header, body), Found::frame);
  EXPECT_EQ(reader.stored(), header_bytes + 3) << "only the frame's own bytes are copied";
  ASSERT_EQ(reader.next(header, body), Found::frame);
  EXPECT_EQ(body.data(), bytes.data() + 19 + header_bytes) << "the next one is in place again";
  EXPECT_EQ(reader.stored(), 0U);
}

TEST(FrameReader, StoresNoMoreThanWhatCame) {
  Value claim(header_bytes);
  put_header(claim.data(), {Type::set, 0, limits::frame_body_bytes_max, 1});
  FrameReader reader;
  reader.feed(claim);
  FrameHeader header;
  Bytes body;
  EXPECT_EQ(reader.next(header, body), Found::more);
  EXPECT_EQ(reader.stored(), header_bytes);
  reader.feed(as_bytes("abc"));
  EXPECT_EQ(reader.next(header, body), Found::more);
  EXPECT_EQ(reader.stored(), header_bytes + 3);
}

TEST(FrameReader, ALargeFrameInPieces) {
  const std::string large(300'000, 'z');
  Value bytes;
  append_frame(bytes, Type::set, 1, large);
  append_frame(bytes, Type::get, 2, "k");
  FrameReader reader;
  std::vector<std::string> frames;
  for (std::size_t at = 0; at < bytes.size(); at += 65'536) {
    reader.feed(Bytes(bytes).subspan(at, std::min<std::size_t>(65'536, bytes.size() - at)));
    for (auto& frame : take_all(reader)) frames.push_back(std::move(frame));
  }
  EXPECT_EQ(frames, (std::vector<std::string>{"1/1/" + large, "2/2/k"}));
}

TEST(FrameReader, BrokenForGood) {
  Value bytes;
  append_frame(bytes, Type::set, 7, "one");
  bytes.resize(bytes.size() + header_bytes, std::byte{0xff});
  append_frame(bytes, Type::set, 8, "two");
  FrameReader reader;
  reader.feed(bytes);
  FrameHeader header;
  Bytes body;
  EXPECT_EQ(reader.next(header, body), Found::frame);
  EXPECT_EQ(reader.next(header, body), Found::broken);
  EXPECT_EQ(reader.next(header, body), Found::broken);
  reader.feed(three_frames_bytes());
  EXPECT_EQ(reader.next(header, body), Found::broken);
}

TEST(FrameReader, ItsOwnLimitHoldsToo) {
  for (const std::size_t cut : {std::size_t{0}, std::size_t{5}, header_bytes}) {
    Value bytes;
    append_frame(bytes, Type::set, 1, "1234");
    append_frame(bytes, Type::set, 2, "12345");
    FrameReader reader(4);
    reader.feed(Bytes(bytes).first(cut));
    EXPECT_TRUE(take_all(reader).empty());
    reader.feed(Bytes(bytes).subspan(cut));
    EXPECT_EQ(take_all(reader), std::vector<std::string>{"1/1/1234"});
    FrameHeader header;
    Bytes body;
    EXPECT_EQ(reader.next(header, body), Found::broken);
  }
}

TEST(FrameReader, ItMaySkipABodyOverItsLimit) {
  Value bytes;
  append_frame(bytes, Type::set, 1, "1234");
  append_frame(bytes, Type::set, 2, "12345 and more");
  append_frame(bytes, Type::get, 3, "k");
  for (std::size_t piece = 1; piece <= bytes.size(); ++piece) {
    FrameReader reader(4, FrameReader::Oversized::skipped);
    std::vector<std::string> found;
    for (std::size_t at = 0; at < bytes.size(); at += piece) {
      const Value part = to_value(Bytes(bytes).subspan(at, std::min(piece, bytes.size() - at)));
      reader.feed(part);
      FrameHeader header;
      Bytes body;
      for (Found what; (what = reader.next(header, body)) != Found::more;) {
        ASSERT_NE(what, Found::broken);
        found.push_back((what == Found::oversized ? "skipped " : "frame ") +
                        std::to_string(header.sequence));
        ASSERT_LE(reader.stored(), header_bytes + 4) << "what is skipped is not stored";
      }
    }
    ASSERT_EQ(found, (std::vector<std::string>{"frame 1", "skipped 2", "frame 3"})) << piece;
  }
}

TEST(FrameReader, WhereBodiesAreSkippedAHeaderThatIsNoneStillBreaks) {
  Value bytes(header_bytes);
  put_header(bytes.data(), {Type::set, 0, 0xFFFFFFFF, 1});
  FrameHeader header;
  Bytes body;
  FrameReader patient(4, FrameReader::Oversized::skipped);
  patient.feed(bytes);
  EXPECT_EQ(patient.next(header, body), Found::oversized);
  EXPECT_EQ(header.length, 0xFFFFFFFFU);
  EXPECT_EQ(patient.next(header, body), Found::more);
  bytes[12] = std::byte{1};
  FrameReader reader(4, FrameReader::Oversized::skipped);
  reader.feed(bytes);
  EXPECT_EQ(reader.next(header, body), Found::broken);
}

TEST(FrameReader, NoiseNeverStoresMoreThanItIs) {
  SeededRandom random(1);
  for (int round = 0; round < 500; ++round) {
    FrameReader reader;
    std::size_t fed = 0;
    for (int i = 0; i < 8; ++i) {
      Value noise(random.below(64));
      random.fill(noise);
      if (random.below(2) == 0) std::fill(noise.begin(), noise.end(), std::byte{0});
      fed += noise.size();
      reader.feed(noise);
      take_all(reader);
      ASSERT_LE(reader.stored(), fed);
    }
  }
}

}  // namespace
}  // namespace muster::wire
