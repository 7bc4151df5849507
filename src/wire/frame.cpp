#include "wire/frame.hpp"

#include <algorithm>

#include "base/assert.hpp"
#include "wire/little_endian.hpp"

namespace muster::wire {
namespace {

/// A buffer that held a large frame is given back; one of ordinary size is kept for the next.
constexpr std::size_t kept_bytes_max = 1024;

/// False: the reserved word is not zero.
bool read_header(const std::byte* at, FrameHeader& header) {
  header.type = static_cast<Type>(get<std::uint16_t>(at));
  header.result = static_cast<std::int16_t>(get<std::uint16_t>(at + 2));
  header.length = get<std::uint32_t>(at + 4);
  header.sequence = get<std::uint32_t>(at + 8);
  return get<std::uint32_t>(at + 12) == 0;
}

}  // namespace

void put_header(std::byte* at, const FrameHeader& header) {
  put(at, static_cast<std::uint16_t>(header.type));
  put(at + 2, static_cast<std::uint16_t>(header.result));
  put(at + 4, header.length);
  put(at + 8, header.sequence);
  put(at + 12, std::uint32_t{0});
}

bool get_header(const std::byte* at, FrameHeader& header) {
  return read_header(at, header) && header.length <= limits::frame_body_bytes_max;
}

std::size_t begin_frame(Value& out) {
  const std::size_t begun = out.size();
  out.resize(begun + header_bytes);
  return begun;
}

void end_frame(Value& out, std::size_t begun, Type type, std::uint32_t sequence,
               std::int16_t result) {
  MUSTER_ASSERT(out.size() >= begun + header_bytes);
  const std::size_t length = out.size() - begun - header_bytes;
  MUSTER_ASSERT(length <= limits::frame_body_bytes_max);
  put_header(out.data() + begun, {type, result, static_cast<std::uint32_t>(length), sequence});
}

void set_sequence(std::byte* frame, std::uint32_t sequence) {
  put(frame + 8, sequence);
}

void FrameReader::feed(Bytes bytes) {
  MUSTER_ASSERT(fed_.empty() || broken_);  // next() has said `more`, or there is no more
  fed_ = bytes;
}

FrameReader::Found FrameReader::next(FrameHeader& header, Bytes& body) {
  if (handed_out_) {
    handed_out_ = false;
    if (stored_.capacity() > kept_bytes_max) Value().swap(stored_);
    stored_.clear();
  }
  if (broken_) return Found::broken;
  const std::size_t skipped = std::min(to_skip_, fed_.size());
  fed_ = fed_.subspan(skipped);
  to_skip_ -= skipped;
  return stored_.empty() ? take_in_place(header, body) : take_stored(header, body);
}

FrameReader::Found FrameReader::take_in_place(FrameHeader& header, Bytes& body) {
  if (fed_.size() >= header_bytes) {
    const Found found = accept(fed_.data(), header);
    if (found != Found::frame) {
      fed_ = fed_.subspan(header_bytes);
      return found;
    }
    const std::size_t whole = header_bytes + header.length;
    if (fed_.size() >= whole) {
      body = fed_.subspan(header_bytes, header.length);
      fed_ = fed_.subspan(whole);
      return Found::frame;
    }
  }
  store_up_to(stored_.size() + fed_.size());
  return Found::more;
}

FrameReader::Found FrameReader::take_stored(FrameHeader& header, Bytes& body) {
  if (!store_up_to(header_bytes)) return Found::more;
  if (const Found found = accept(stored_.data(), header); found != Found::frame) {
    stored_.clear();
    return found;
  }
  if (!store_up_to(header_bytes + header.length)) return Found::more;
  body = Bytes(stored_).subspan(header_bytes);
  handed_out_ = true;
  return Found::frame;
}

FrameReader::Found FrameReader::accept(const std::byte* at, FrameHeader& header) {
  const bool sound = read_header(at, header);
  if (sound && header.length <= body_bytes_max_) return Found::frame;
  if (sound && oversized_ == Oversized::skipped) {
    to_skip_ = header.length;
    return Found::oversized;
  }
  broken_ = true;
  return Found::broken;
}

bool FrameReader::store_up_to(std::size_t wanted) {
  if (stored_.size() < wanted) {
    const Bytes taken = fed_.first(std::min(fed_.size(), wanted - stored_.size()));
    const std::size_t needed = stored_.size() + taken.size();
    if (needed > stored_.capacity()) {
      stored_.reserve(std::clamp(2 * stored_.capacity(), needed, wanted));
    }
    stored_.insert(stored_.end(), taken.begin(), taken.end());
    fed_ = fed_.subspan(taken.size());
  }
  return stored_.size() >= wanted;
}

}  // namespace muster::wire
