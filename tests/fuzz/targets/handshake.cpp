// What a server, or whoever sits at its address, says to a client that joins. The first byte says
// how the rest is cut.

#include "client/core/handshake.hpp"

#include "fuzz/target.hpp"
#include "wire/cursor.hpp"

using namespace muster;
using client::Handshake;

namespace {

wire::ClientHello hello() {
  return {.size = 2, .pid = 1, .left_ms = 1000, .host = "h", .ranks = {{1, 1}}};
}

/// Feeds pieces of `piece_bytes`; how it ended, and how many bytes it has used.
std::pair<Handshake::State, std::size_t> shake(Handshake& handshake, Bytes bytes,
                                               std::size_t piece_bytes) {
  std::size_t all_used = 0;
  while (!bytes.empty()) {
    const Value piece = to_value(bytes.first(std::min(bytes.size(), piece_bytes)));
    std::size_t used = 0;
    const Handshake::State state = handshake.feed(piece, used);
    MUSTER_ASSERT(used <= piece.size());
    all_used += used;
    if (state == Handshake::State::prove) {
      MUSTER_ASSERT(handshake.answer().size() == wire::header_bytes + sizeof(Digest));
    } else if (state != Handshake::State::more) {
      return {state, all_used};
    }
    MUSTER_ASSERT(used == piece.size());
    bytes = bytes.subspan(piece.size());
  }
  return {Handshake::State::more, all_used};
}

/// Nobody proves by chance that it holds the secret.
void never_welcomed(Bytes said, std::size_t piece_bytes) {
  Handshake handshake(hello(), Secret::from_bytes(Value(32, std::byte{7})).value());
  MUSTER_ASSERT(shake(handshake, said, piece_bytes).first != Handshake::State::welcomed);
}

}  // namespace

MUSTER_FUZZ_TARGET(handshake) {
  wire::Reader reader(input);
  const std::size_t piece_bytes = 1 + reader.u8();
  const Bytes said = reader.rest();
  never_welcomed(said, piece_bytes);
  Handshake at_once(hello());
  Handshake in_pieces(hello());
  const auto [end, used] = shake(at_once, said, said.size());
  const auto [end_2, used_2] = shake(in_pieces, said, piece_bytes);
  MUSTER_ASSERT(end == end_2);
  if (end == Handshake::State::failed) {
    MUSTER_ASSERT(!at_once.error().text().empty());
    MUSTER_ASSERT(at_once.error().code == in_pieces.error().code);
  } else if (end == Handshake::State::welcomed) {
    MUSTER_ASSERT(used == used_2);
    MUSTER_ASSERT(at_once.session().epoch == in_pieces.session().epoch);
  }
}
