/// \file
/// What every message after the hello looks like: a header of 16 bytes, then a body.
///
///     offset  0  u16 type      4  u32 length of the body      12  u32 zero
///             2  i16 result    8  u32 sequence
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include <muster/bytes.hpp>

#include "base/limits.hpp"

namespace muster::wire {

/// What a message is. A reply carries its request's type. Numbers are never reused.
enum class Type : std::uint16_t {
  set = 1,
  get = 2,
  add = 3,
  remove = 4,
  append = 5,
  compare_set = 6,
  wait = 7,
  list = 8,
  watch = 9,
  unwatch = 10,
  multi_get = 11,
  multi_set = 12,
  set_owned = 13,
  arrive = 16,
  status = 17,
  fail = 18,
  leave = 19,
  open_group = 20,
  close_group = 21,
  // From the server, unasked; sequence 0.
  mustered = 32,
  doomed = 33,
  changed = 34,  ///< the sequence is its watch's
  server_leaving = 36,
  beat = 37,  ///< both ways, empty: a sign of life on a link that had nothing else to say
  // Joining.
  welcome = 48,
  refused = 49,
  proof = 50,
};

/// Value. `result` is 0, or in a reply the muster::Code of the failure, and the body is a Failure.
struct FrameHeader {
  Type type = Type::set;
  std::int16_t result = 0;
  std::uint32_t length = 0;
  std::uint32_t sequence = 0;
};

inline constexpr std::size_t header_bytes = limits::frame_header_bytes;

/// Writes the 16 bytes at `at`.
void put_header(std::byte* at, const FrameHeader& header);
/// Reads 16 bytes at `at`. False: the reserved word is not zero, or the length is over the limit.
bool get_header(const std::byte* at, FrameHeader& header);

/// Appends a frame to `out`: `begin` leaves room for the header, the body is written behind it,
/// `end` fills the header in. A body over limits::frame_body_bytes_max asserts: the peer would have
/// to drop the link.
std::size_t begin_frame(Value& out);
void end_frame(Value& out, std::size_t begun, Type type, std::uint32_t sequence,
               std::int16_t result = 0);
/// Rewrites the sequence number of the frame that starts at `frame`.
void set_sequence(std::byte* frame, std::uint32_t sequence);

/// Resource. Cuts a byte stream into frames. Frames that are complete in what was fed are handed
/// out in place, without a copy; only what is incomplete is stored, in a buffer that grows as bytes
/// arrive, never by a length that a peer merely claims.
class FrameReader {
 public:
  /// Value. What becomes of a body over the limit.
  enum class Oversized : std::uint8_t {
    breaks,   ///< the stream is broken
    skipped,  ///< its bytes are dropped as they come, by the length that its header says
  };
  explicit FrameReader(std::size_t body_bytes_max = limits::frame_body_bytes_max,
                       Oversized oversized = Oversized::breaks)
      : body_bytes_max_(body_bytes_max), oversized_(oversized) {}

  /// Value. What next() found.
  enum class Found : std::uint8_t { frame, oversized, more, broken };

  /// Gives the reader the next bytes of the stream; they must live until next() has said `more`.
  void feed(Bytes bytes);
  /// `frame`: `header` and `body` are set; `body` lives until the next call. `oversized`: only
  /// `header` is. `more`: all that was fed is used up or stored. `broken`: the stream is not the
  /// protocol; for good.
  Found next(FrameHeader& header, Bytes& body);

  /// Takes back what was fed and not looked at yet; to be fed again later, before anything else.
  /// After next() has said `frame`, not before that frame is done with.
  Bytes take_unread() { return std::exchange(fed_, {}); }

  /// Bytes stored for an incomplete frame.
  std::size_t stored() const { return stored_.size(); }

 private:
  /// `frame` if the header at `at` is good.
  Found accept(const std::byte* at, FrameHeader& header);
  Found take_in_place(FrameHeader& header, Bytes& body);
  Found take_stored(FrameHeader& header, Bytes& body);
  /// Moves bytes from fed_ to stored_ until that has `wanted`; false if there are too few.
  bool store_up_to(std::size_t wanted);

  std::size_t body_bytes_max_;
  Oversized oversized_;
  Bytes fed_;
  std::size_t to_skip_ = 0;  ///< bytes of an oversized body that are still to come
  Value stored_;
  bool handed_out_ = false;  ///< stored_ holds the frame handed out last
  bool broken_ = false;
};

}  // namespace muster::wire
