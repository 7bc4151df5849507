// A stream of frames, cut anywhere, is the same frames. The first byte is a count of cuts, as many
// bytes say where they are.

#include "fuzz/target.hpp"
#include "wire/cursor.hpp"
#include "wire/frame.hpp"

using namespace muster;

namespace {

constexpr std::size_t body_bytes_max = 4096;

struct Read {
  std::vector<std::pair<wire::FrameHeader, Value>> frames;
  bool broken = false;
  std::size_t stored = 0;
};

/// Takes what `bytes` add to the stream.
void feed(wire::FrameReader& reader, Bytes bytes, Read& read) {
  if (read.broken) return;
  reader.feed(bytes);
  wire::FrameHeader header;
  Bytes body;
  for (;;) {
    const auto found = reader.next(header, body);
    if (found == wire::FrameReader::Found::frame) {
      MUSTER_ASSERT(body.size() == header.length && body.size() <= body_bytes_max);
      read.frames.emplace_back(header, to_value(body));
      continue;
    }
    read.broken = found == wire::FrameReader::Found::broken;
    read.stored = read.broken ? 0 : reader.stored();
    return;
  }
}

bool same(const wire::FrameHeader& a, const wire::FrameHeader& b) {
  return a.type == b.type && a.result == b.result && a.sequence == b.sequence;
}

}  // namespace

MUSTER_FUZZ_TARGET(frames) {
  wire::Reader cuts_first(input);
  const Bytes cuts = cuts_first.bytes(std::min<std::size_t>(cuts_first.u8(), cuts_first.left()));
  const Bytes stream = cuts_first.rest();

  Read at_once;
  wire::FrameReader reader(body_bytes_max);
  feed(reader, stream, at_once);

  Read in_pieces;
  wire::FrameReader piecemeal(body_bytes_max);
  Bytes left = stream;
  for (const std::byte cut : cuts) {
    // A piece of its own size, so that a sanitizer sees a read past its end.
    const Value piece = to_value(left.first(std::min<std::size_t>(left.size(), std::size_t(cut))));
    feed(piecemeal, piece, in_pieces);
    left = left.subspan(piece.size());
  }
  feed(piecemeal, left, in_pieces);

  MUSTER_ASSERT(at_once.broken == in_pieces.broken && at_once.stored == in_pieces.stored);
  MUSTER_ASSERT(at_once.stored <= wire::header_bytes + body_bytes_max);
  MUSTER_ASSERT(at_once.frames.size() == in_pieces.frames.size());
  for (std::size_t i = 0; i < at_once.frames.size(); ++i) {
    MUSTER_ASSERT(same(at_once.frames[i].first, in_pieces.frames[i].first));
    MUSTER_ASSERT(at_once.frames[i].second == in_pieces.frames[i].second);
  }
}
