#include "server/core/peer.hpp"

#include <algorithm>

#include "base/limits.hpp"
#include "wire/v0.hpp"

namespace muster::server {

Peer::First Peer::take_first(Bytes bytes) {
  const std::size_t before = stored_.size();
  Bytes seen = bytes;
  if (before != 0) {
    const Bytes taken = bytes.first(std::min(bytes.size(), limits::hello_bytes_max - before));
    stored_.insert(stored_.end(), taken.begin(), taken.end());
    seen = stored_;
  }
  const wire::HelloScan scan = wire::scan_client_hello(seen);
  First first{scan.state, {}, {}};
  std::size_t whole = scan.length;
  if (scan.state == wire::HelloState::old) {
    first.hello = seen.first(std::min(seen.size(), wire::v0::hello_bytes));
    if (first.hello.size() == wire::v0::hello_bytes) whole = wire::v0::hello_bytes;
  }
  if (whole != 0) {
    first.hello = seen.first(whole);
    first.rest = bytes.subspan(whole - before);
  } else if (before == 0) {
    const Bytes kept = bytes.first(std::min(bytes.size(), limits::hello_bytes_max));
    stored_.assign(kept.begin(), kept.end());
  }
  return first;
}

void Peer::ask(Asked asked) {
  asked_ = std::make_unique<Asked>(std::move(asked));
  stored_.clear();
}

void Peer::seek(const Digest& proof) {
  seeks_ = true;
  if (asked_) asked_->proof = proof;
}

Peer::ProofFound Peer::take_proof(Bytes bytes) {
  constexpr std::size_t whole = wire::header_bytes + sizeof(Digest);
  const std::size_t wanted = whole - stored_.size();
  const Bytes taken = bytes.first(std::min(bytes.size(), wanted));
  stored_.insert(stored_.end(), taken.begin(), taken.end());
  ProofFound found;
  found.rest = bytes.subspan(taken.size());
  wire::FrameHeader header;
  if (stored_.size() >= wire::header_bytes &&
      (!wire::get_header(stored_.data(), header) || header.type != wire::Type::proof ||
       header.length != sizeof(Digest))) {
    return found;
  }
  found.more = stored_.size() < whole;
  if (!found.more) found.proof = wire::decode_proof(Bytes(stored_).subspan(wire::header_bytes));
  return found;
}

void Peer::admit(Ranks ranks, std::uint32_t features) {
  admitted_ = true;
  features_ = features;
  seeks_ = false;
  ranks_ = std::move(ranks);
  asked_.reset();
  Value().swap(stored_);
}

void Peer::admit_version0() {
  admit({});
  version0_ = true;
  reader_ =
      wire::FrameReader(limits::v0_frame_body_bytes_max, wire::FrameReader::Oversized::skipped);
}

bool Peer::speaks_for(std::uint32_t rank) const {
  return std::ranges::binary_search(ranks_, rank);
}

}  // namespace muster::server
